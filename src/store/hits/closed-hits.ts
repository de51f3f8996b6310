// Which hits are closed, for every list of them. The hit is `h` in the statement around it.
import { sql } from 'kysely'

/**
 * The record into which its tender was merged has a hit of its own. The limit makes the subquery run per merged hit: a
 * planner that hashes it would read the whole table.
 */
export const isReplaced = sql`(select true from hit o where o.search_no = h.search_no and o.tender_id = h.merged_into limit 1) is not null`

/** Closed itself, replaced, or the record into which its tender was merged ended. */
export const isClosed = sql`(h.archive_reason is not null and (h.merged_into is null or h.archive_reason <> 'merged' or ${isReplaced}))`

/** The record that it represents: the one into which its tender was merged, if that one has no hit of its own. */
export const representedId = sql`case when ${isReplaced} then h.tender_id else coalesce(h.merged_into, h.tender_id) end`
