import { packageOf, query, testAnswers } from '../../../../test/sources/portal-answers.ts'

testAnswers('za-national-treasury', 'days', ['1', '2'], (url) =>
  query(url, 'PageNumber') === '1'
    ? { ...packageOf(1), links: { next: 'https://ocds-api.etenders.gov.za/api/OCDSReleases?PageNumber=2' } }
    : { ...packageOf(2), links: { next: '' } },
)
