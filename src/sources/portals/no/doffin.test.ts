// The link to the page of a notice, whose number only the list has.
import { expect, test } from 'vitest'
import { parseDoffin } from './parse-doffin.ts'

const eforms = (id: string) => `<?xml version="1.0" encoding="UTF-8"?>
<ContractNotice xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>eforms-sdk-1.10#urn:fdc:anskaffelser.no:2023:eforms:eu</cbc:CustomizationID>
  <cbc:ID schemeName="notice-id">${id}</cbc:ID>
  <cbc:VersionID>01</cbc:VersionID>
  <cac:ProcurementProject><cbc:Name languageID="NOR">Skolemøbler</cbc:Name></cac:ProcurementProject>
</ContractNotice>`

const urlOf = (text: string): unknown => {
  const [part] = parseDoffin(Buffer.from(text))
  if (!part || !('notice' in part)) throw new Error(JSON.stringify(part))
  return part.notice.url
}

test.each([
  ['the number by which the list names it', '\n<?listed-as 2024-106005?>', 'https://www.doffin.no/notices/2024-106005'],
  ['no number, as documents of before', '', undefined],
  ['what is no number', '\n<?listed-as draft?>', undefined],
])('%s', (_, behind, url) => {
  expect(urlOf(eforms('0f8a1c52-7d3e-4b64-9a10-5c2e7f4b9d31') + behind)).toBe(url)
})

test('a number of its own stays', () => {
  expect(urlOf(`${eforms('2022-319091')}<?listed-as 2024-106005?>`)).toBe('https://www.doffin.no/notices/2022-319091')
})
