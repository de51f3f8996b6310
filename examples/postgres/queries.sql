-- Example queries on a copy in PostgreSQL, written for the schema `tenderstock`: set search_path to tenderstock;
-- Every statement works on its own. \d+ tender in psql explains each column.

-- Open tenders whose deadline is near, the nearest first.
select submission_date, title, contracting_authority_name, contract_value, contract_currency, source_url
from tender_open
where status = 'open' and submission_date between now() and now() + interval '14 days'
order by submission_date
limit 100;

-- Open tenders by sector: the first two digits of the main CPV code.
select left(main_cpv, 2) as division,
  count(*) as tenders,
  sum(contract_value) filter (where contract_currency = 'EUR' and not contract_estimated) as published_euros
from tender_open
group by division
order by tenders desc, division;

-- Building works below 4521, in the tender or one of its lots, like the filter cpv=45210000 of the API.
select id, title
from tender_open
where exists (select from tender_cpv where tender_id = tender_open.id and code like '4521%')
order by id;

-- A region and all areas below it, like the filter nuts=DE2 of the API: only codes of the tender count.
select id, title
from tender_open
where exists (select from tender_nuts where tender_id = tender_open.id and not is_lot and code like 'DE2%')
order by id;

-- The buyers with the most open tenders.
select contracting_authority_name, contracting_authority_city, count(*) as open_tenders
from tender_open
group by contracting_authority_name, contracting_authority_city
order by open_tenders desc, contracting_authority_name
limit 20;

-- Records that are new, changed or ended on the newest day of the copy.
select last_modified, status, archive_reason, title
from tender
where last_modified > (select max(last_modified) from tender) - interval '1 day'
order by last_modified desc, id
limit 100;

-- Merged tenders, each with the one that remains.
select merged.id, merged.title, survivor.id as survivor_id, survivor.title as survivor_title, survivor.status
from tender_survivor
join tender as merged on merged.id = tender_survivor.id
join tender as survivor on survivor.id = tender_survivor.survivor_id
order by merged.id;

-- Anything that has no column of its own is in the record.
select id, record -> 'translations' -> 'en' ->> 'title' as english_title
from tender_open
where record -> 'translations' ? 'en'
limit 100;

-- How fresh the copy is.
select max(last_modified) as newest_change, count(*) filter (where archive_reason is null) as open, count(*) as all_records
from tender;
