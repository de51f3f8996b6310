// Mistakes that are written into the matching while a process loads it: the model of hits must find each.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the source that is changed holds templates.
import type { PlantedEdit } from '../planted-edit.ts'

const runner = 'src/hits/match-editions.ts'

export const plantedHitEdits: readonly {
  readonly name: string
  readonly edits: readonly Omit<PlantedEdit, 'name'>[]
}[] = [
  {
    name: 'the mark moves before the hits',
    edits: [{ file: runner, from: 'if (end === rows.length) await moveMark', to: 'if (done === 0) await moveMark' }],
  },
  {
    name: 'ids are random',
    edits: [
      { file: 'src/hits/hit-id.ts', from: 'hashOf(identity)\n', to: 'hashOf(identity, String(Math.random()))\n' },
    ],
  },
  {
    name: 'hits come from the stock, not from the edition',
    edits: [
      {
        file: 'src/store/editions/editions.ts',
        from: "    .select(['edition', 'last_modified as lastModified', 'body', 'sources'])\n    .where('last_modified', '>', after)",
        to: `    .select(['edition', 'last_modified as lastModified', 'sources', sql<string>\`(select n.body from edition_entry n
      where n.tender_id = edition_entry.tender_id order by n.last_modified desc limit 1)\`.as('body')])
    .where('last_modified', '>', after)`,
      },
    ],
  },
  {
    name: 'an edition of then is matched with the searches of now',
    edits: [
      {
        file: 'src/store/hits/searches.ts',
        from: 'where search_no = s.search_no and from_edition <= ${edition}::integer',
        to: 'where search_no = s.search_no and ${edition}::integer is not null',
      },
    ],
  },
  {
    name: 'an edition of then is matched with the profiles of now',
    edits: [
      {
        file: 'src/store/hits/searches.ts',
        from: 'where profile_id = p.profile_id and from_edition <= ${edition}::integer',
        to: 'where profile_id = p.profile_id and ${edition}::integer is not null',
      },
    ],
  },
  {
    name: 'the last entry of an edition is left out',
    edits: [
      {
        file: 'src/store/editions/editions.ts',
        from: "    .where('last_modified', '<=', upTo)",
        to: "    .where('last_modified', '<', upTo)",
      },
    ],
  },
  {
    name: 'a tender is a hit of one search only',
    edits: [
      {
        file: 'src/store/hits/hits.ts',
        from: 'where not exists (select from hit s where',
        to: 'where not exists (select from hit o where o.tender_id = n."tenderId") and not exists (select from hit s where',
      },
    ],
  },
  {
    name: 'messages are written after the transaction of their hits',
    edits: [
      {
        file: runner,
        from: "    await this.#offer(trx, { kind: 'search.hit', edition, hits: made })\n",
        to: "    ;(this as any).late = () => this.#offer(this.#store.db, { kind: 'search.hit', edition, hits: made })\n",
      },
      {
        file: runner,
        from: "      yield 'a piece is written'\n",
        to: "      yield 'a piece is written'\n      await (this as any).late?.()\n      ;(this as any).late = undefined\n",
      },
    ],
  },
  {
    name: 'a hit of what is no call any more stays open',
    edits: [
      {
        file: 'src/store/hits/hits.ts',
        from: `v.filter::json ->> 'status' as "askedStatus"`,
        to: `v.filter::json ->> 'none' as "askedStatus"`,
      },
    ],
  },
  {
    name: 'a merged twin is a second hit',
    edits: [
      {
        file: 'src/store/hits/hits.ts',
        from: 's.merged_into = n."tenderId"',
        to: 's.merged_into = n."tenderId" and false',
      },
    ],
  },
  {
    name: 'a tender that was split off stays with the other',
    edits: [
      {
        file: 'src/store/hits/hits.ts',
        from: 'merged_into = n."mergedInto", deadline_ms',
        to: 'merged_into = coalesce(n."mergedInto", h.merged_into), deadline_ms',
      },
    ],
  },
  {
    name: 'a hit whose tender was merged hears nothing of the survivor',
    edits: [
      {
        file: 'src/store/hits/hits.ts',
        from: 'where h.merged_into = e.tender_id and not (',
        to: 'where false and h.merged_into = e.tender_id and not (',
      },
    ],
  },
  {
    name: 'a survivor with a hit of its own is heard of twice',
    edits: [
      {
        file: 'src/store/hits/hits.ts',
        from: 'where h.merged_into = e.tender_id and not (${isReplaced})',
        to: 'where h.merged_into = e.tender_id',
      },
    ],
  },
  {
    name: 'a merge and the end of the survivor in one edition are told twice',
    edits: [{ file: runner, from: '|| others.has(hit.tenderId))', to: ')' }],
  },
  {
    name: 'a merge does not tell that the survivor had ended',
    edits: [
      {
        file: runner,
        from: 'const survivor = isOwn ? survivorOf(hit, mergedInto) : record',
        to: 'const survivor = isOwn ? undefined : record',
      },
    ],
  },
  {
    name: 'a message that is made again has another id',
    edits: [
      {
        file: 'src/hits/hit-id.ts',
        from: 'hashOf(identity, endpointId, String(occasion))',
        to: 'hashOf(identity, endpointId, String(occasion), String(Math.random()))',
      },
    ],
  },
  {
    name: 'an endpoint hears of searches that it did not ask for',
    edits: [{ file: runner, from: 'each.searches === null ||', to: 'true ||' }],
  },
  {
    name: 'every endpoint hears of changes',
    edits: [{ file: runner, from: 'each.kinds.includes(kind) &&', to: '' }],
  },
  {
    name: 'messages are sent before their edition is matched',
    edits: [
      {
        file: 'src/store/hits/deliveries.ts',
        from: 'd.edition <= (select edition from hit_mark)',
        to: 'd.edition is not null',
      },
    ],
  },
  {
    name: 'a message that the receiver refused is not sent again',
    edits: [{ file: 'src/webhooks/delivery-schedule.ts', from: 'outcome.status < 300', to: 'outcome.status < 600' }],
  },
  {
    name: 'a body is built anew for each attempt',
    edits: [
      { file: 'src/webhooks/deliver.ts', from: 'if (each.packed === null) missing', to: 'if (true) missing' },
      { file: 'src/webhooks/deliver.ts', from: 'bodies.set(messageId, unpack(kept))', to: 'void kept' },
    ],
  },
  {
    name: 'an outcome is stored before the request',
    edits: [
      {
        file: 'src/webhooks/deliver.ts',
        from: '  const made = await tracedCall(',
        to:
          "  await store.db.updateTable('delivery').set({ state: 'delivered' }).where('message_id', '=', " +
          'messageId).execute()\n  const made = await tracedCall(',
      },
    ],
  },
  {
    name: 'the cap counts the hits of all editions',
    edits: [
      {
        file: 'src/store/hits/hits.ts',
        from: 'where edition = ${edition}::integer and hits > ${maxHits}::integer',
        to:
          'where edition = ${edition}::integer and (select sum(hits) from search_edition o where o.search_no = ' +
          'search_edition.search_no) > ${maxHits}::integer',
      },
    ],
  },
]
