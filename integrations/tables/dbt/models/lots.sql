-- One row per lot of these tenders.
select lot.tender_id, lot.position, lot.lot_id, lot.status, coalesce(lot.title, tender.title) as title,
  coalesce(lot.main_cpv, tender.main_cpv) as main_cpv, lot.contract_value, lot.contract_currency, lot.awarded_value,
  lot.awarded_currency, lot.received_tenders, lot.non_award_reason
from {{ source('copy', 'tender_lot') }} as lot
join {{ ref('tenders') }} as tender on tender.id = lot.tender_id
