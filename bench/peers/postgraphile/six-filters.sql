-- Filters as PostGraphile has them without plugins: a function of the table, whose rows are a connection. The planner takes
-- its text into the query.
create or replace function tenders_by(cpv text[], nuts text[], published_since bigint, deadline_after bigint, value_min double precision, procedures text[])
returns setof tender language sql stable as $$
  select * from tender
  where tender.cpv_stems && cpv and tender.nuts_stems && nuts and tender.published >= published_since
    and tender.deadline > deadline_after and tender.value_eur >= value_min and tender.procedure = any(procedures)
  order by tender.last_modified, tender.id
$$;
create or replace function tenders_after(stamp bigint) returns setof tender language sql stable as $$
  select * from tender where tender.last_modified >= stamp order by tender.last_modified, tender.id
$$;
