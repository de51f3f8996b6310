-- One row per tender that counts: merged ones are in their survivors.
select id, status, archive_reason, coalesce(display_title, title) as title, contracting_authority_name as authority,
  realized_country as country, main_cpv, left(main_cpv, 2) as division, region, publication_date,
  least(submission_date, participation_date) as first_deadline, contract_value, contract_currency, contract_estimated,
  awarded_value, awarded_currency, lot_count
from {{ source('copy', 'tender') }}
where merged_into is null and status <> 'lost'
