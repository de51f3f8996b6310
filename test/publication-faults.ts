// What must hold for the tables of a publication at any moment, checked in plain SQL that shares nothing with the
// publisher.

/** Runs one statement on the database and returns its rows. */
export type Ask = (query: string) => Promise<{ readonly rows: readonly unknown[] }>

const newest = 'coalesce((select max(last_modified) from edition), -1)'

/** Each counts rows that must not exist: what readers see, whatever a publication has begun. */
const atAnyMoment: { readonly [fault: string]: string } = {
  'editions with a gap in which no epoch begins (P1)': `
    select count(*) from (select edition, lag(edition, 1, 0) over (order by edition) as before from edition) e
    where edition <> before + 1 and not exists (select from setting, json_array_elements(value::json) epoch
      where name = 'epochs' and (epoch->>'first')::integer = e.edition and (epoch->>'edition')::integer = e.before)`,
  'editions with fewer or more entries than changes': `
    select count(*) from edition e where edition = (select max(edition) from edition) and changes <>
      (select count(*) from edition_entry n where n.edition = e.edition and n.last_modified <= ${newest})`,
  'entries outside the stamps of their edition (P2)': `
    select count(*) from edition_entry e left join edition own using (edition)
    left join edition before on before.edition = (select max(edition) from edition b where b.edition < e.edition)
    where e.last_modified <= ${newest}
    and (own.edition is null or e.last_modified > own.last_modified or e.last_modified <= coalesce(before.last_modified, -1))`,
  'stamps ahead of the clock (P4)': `
    select count(*) from edition_entry e join edition own using (edition) where e.last_modified > own.published_at`,
  'ids that no edition has any more (P3)': `
    select (select records from edition order by edition desc limit 1) -
      (select count(distinct tender_id) from edition_entry where last_modified <= ${newest}) as count from edition limit 1`,
}

/** Each counts what must not be once a publication is over, or was taken back, and all of the stock is published. */
const whenPublished: { readonly [fault: string]: string } = {
  'entries of no edition': `select count(*) from edition_entry where last_modified > ${newest}`,
  'tenders to publish': 'select count(*) from tender_change',
  'a publication that is not over':
    "select count(*) from publication where state <> 'idle' or until_ms <> 0 or plan is not null",
  'tenders that are not published as they are': `
    select count(*) from tender t left join published_tender p using (tender_id)
    where p.content_hash is distinct from t.content_hash`,
  'published tenders whose newest entry is another': `
    select count(*) from published_tender p left join edition_entry e on e.last_modified = p.last_modified
    where e.tender_id is distinct from p.tender_id or e.sources is distinct from p.sources or p.entry_hash is null
    or exists (select from edition_entry n where n.tender_id = p.tender_id and n.last_modified > p.last_modified)
    or p.first_edition > e.edition
    or p.archive_reason is distinct from e.body::jsonb->>'archiveReason'`,
  'bodies that are not the content with their lastModified': `
    select count(*) from tender t join published_tender p using (tender_id)
    join edition_entry e on e.last_modified = p.last_modified
    where e.body::jsonb - 'lastModified' <> t.content::jsonb or (e.body::jsonb->>'lastModified')::timestamptz <>
      timestamptz 'epoch' + e.last_modified * interval '1 millisecond'`,
  'replaced entries that are the newest, or of no edition': `
    select count(*) from replaced_entry r left join published_tender p using (last_modified)
    where p.tender_id is not null or superseded_by > (select max(edition) from edition)`,
  'entries that are neither the newest nor replaced': `
    select count(*) from edition_entry e where not exists (select from published_tender p where p.last_modified = e.last_modified)
    and not exists (select from replaced_entry r where r.last_modified = e.last_modified)`,
}

async function faultsOf(ask: Ask, checks: { readonly [fault: string]: string }): Promise<string[]> {
  const found: string[] = []
  for (const [fault, query] of Object.entries(checks)) {
    const { rows } = await ask(query)
    const count = Number((rows as { count: unknown }[])[0]?.count ?? 0)
    if (count !== 0) found.push(`${count} ${fault}`)
  }
  return found
}

/** Empty if all is well. `moment`: whether a publication may have begun and not ended. */
export async function publicationFaults(ask: Ask, moment: 'any' | 'published'): Promise<string[]> {
  const found = await faultsOf(ask, atAnyMoment)
  return moment === 'any' ? found : [...found, ...(await faultsOf(ask, whenPublished))]
}

/** The newest edition as a reader finds it: each record's newest entry that is not above the edition. */
export async function visibleEdition(ask: Ask): Promise<readonly unknown[]> {
  const { rows } = await ask(`
    select distinct on (tender_id) tender_id, last_modified, edition, md5(body || sources) as body,
      (select max(edition) from edition) as newest
    from edition_entry where last_modified <= ${newest} order by tender_id, last_modified desc`)
  return rows
}
