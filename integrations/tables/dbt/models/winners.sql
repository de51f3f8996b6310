-- One row per winner of a lot, as published.
select tender.id as tender_id, lot ->> 'lotId' as lot_id, winner ->> 'name' as winner,
  winner ->> 'nationalId' as national_id, winner ->> 'country' as country
from {{ source('copy', 'tender') }} as tender
cross join lateral jsonb_array_elements(tender.record -> 'lots') as lot
cross join lateral jsonb_array_elements(coalesce(lot -> 'winners', '[]'::jsonb)) as winner
where tender.merged_into is null and tender.status <> 'lost'
