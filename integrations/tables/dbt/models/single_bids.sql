-- By division: awarded lots whose number of bids is known, and those of them that had one.
select tender.division, count(*) as lots, count(*) filter (where lot.received_tenders = 1) as single_bids,
  round(count(*) filter (where lot.received_tenders = 1) * 100.0 / count(*), 1) as percent
from {{ ref('lots') }} as lot
join {{ ref('tenders') }} as tender on tender.id = lot.tender_id
where lot.status = 'awarded' and lot.received_tenders > 0
group by tender.division
