// A separate target in one page: records and state in one JSON file, replaced as a whole, so a crash leaves the old
// one. @tenderstock/client/sync/sink says what each method must do.
import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

const empty = { state: undefined, records: [] }

/** @param {string} file Path of the copy; created by the first run. */
export function jsonFileSink(file) {
  /** What the file holds, and what somebody who reads `records` sees. */
  let copy = new Map()
  let state
  /** The copy that the run works on; it replaces the other one with the last commit. */
  let draft
  let keepArchived = false
  let isLoaded = false

  async function load() {
    if (isLoaded) return
    const text = await readFile(file, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return JSON.stringify(empty)
      throw error
    })
    const held = JSON.parse(text)
    state = held.state
    copy = new Map(held.records.map((record) => [record.id, record]))
    isLoaded = true
  }

  async function save() {
    const temporary = `${file}.new`
    const handle = await open(temporary, 'w')
    await handle.writeFile(JSON.stringify({ state, records: [...copy.values()] }))
    await handle.sync()
    await handle.close()
    await rename(temporary, file)
    const folder = await open(dirname(file))
    await folder.sync()
    await folder.close()
  }

  /** An older version never replaces a newer one. All times have the same format, so they compare as text. */
  function put(record) {
    const held = draft.get(record.id)
    if (!held || held.lastModified <= record.lastModified) draft.set(record.id, record)
  }
  const putKnown = (record) => {
    if (keepArchived || draft.has(record.id)) put(record)
  }

  return {
    name: 'json-file',
    canStage: true,
    // A run is one unit: nothing is written before its end, so there is nothing to resume.
    commitsPages: false,
    get records() {
      return copy
    },
    async begin(run) {
      await load()
      draft = run.kind === 'first' ? new Map() : new Map(copy)
      keepArchived = run.keepArchived
    },
    async upsert(records) {
      for (const record of records) put(record)
    },
    async close(records) {
      for (const record of records) putKnown(record)
    },
    async merge(merges) {
      // Here, move everything in your system that refers to the merged record to `into`.
      for (const { record } of merges) putKnown(record)
    },
    async commit(next) {
      copy = draft
      draft = undefined
      state = next
      await save()
    },
    async discard() {
      draft = undefined
    },
    async held(ids) {
      await load()
      const now = draft ?? copy
      return new Map(ids.flatMap((id) => (now.has(id) ? [[id, now.get(id).lastModified]] : [])))
    },
    async *all() {
      await load()
      for (const { id, lastModified, status } of copy.values()) yield { id, lastModified, status }
    },
    state: {
      async load() {
        await load()
        return state
      },
      async save(next) {
        await load()
        state = next
        await save()
      },
      async clear() {
        await load()
        state = undefined
        await save()
      },
    },
    async end() {},
  }
}
