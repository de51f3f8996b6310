// `tenderstock source mend ID`: records what a portal answers now, makes a test of it that fails until the card reads
// it, and says which file to change.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { extname, join, posix, resolve } from 'node:path'
import type { Notice } from '../../domain/notice.ts'
import { checkSource } from '../../ingest/check-source.ts'
import { Recorder } from '../../ingest/recordings.ts'
import { OperatorError } from '../../platform/errors.ts'
import { sampleShelf } from '../../simulator/shelf.ts'
import { simulated } from '../../simulator/simulated-source.ts'
import { namesInDocument } from '../../sources/names-in-document.ts'
import { parserOf } from '../../sources/parse-document.ts'
import { loadSources } from '../../sources/registry.ts'
import type { Source } from '../../sources/source.ts'
import type { Operation } from '../control/operation-context.ts'
import { cardFileOf, diagnose, mostLike } from './diagnose-source.ts'
import { accessOf, type CheckContext, cardIn, sourceExitCodes, sourceNamed } from './source-operations.ts'

/** Where the tests of a clone replay recordings. */
const ownRecordings = 'test/sources/recordings'
/** How many made-up documents show which names the portal's documents have. */
const usualOfKind = 12

/** Exit code 0: the portal answers as its card expects, and nothing is left; 6: it does not. */
export const mendSource: Operation<CheckContext> = async (context, { operands, options }, emit) => {
  const named = sourceNamed(await loadSources(), operands[0]!)
  const { clock, signal = new AbortController().signal } = context
  const access = accessOf(context, options)
  const given = options.record === undefined ? undefined : String(options.record)
  const shelf = resolve(given ?? (existsSync(ownRecordings) ? ownRecordings : 'recordings'))
  const folder = join(shelf, named.id)
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new OperatorError(
      'recordings-not-empty',
      `${folder} holds a recording already; remove it, or name another folder (--record DIR).`,
    )
  const scratchFolder = join(context.dataFolder, 'scratch', String(process.pid))
  await mkdir(scratchFolder, { recursive: true })
  try {
    const source = cardIn(access, named)
    const isOpen = source.access.kind === 'open'
    const key = isOpen ? undefined : (context.keyOf(source.access.setting) ?? (access.isSimulated ? 'simulated' : ''))
    const names = new Set<string>()
    const notices: Notice[] = []
    let host: string | null = null
    const onRedirect = (target: URL) => {
      host = target.host
    }
    const { send } = access.hosts.openConnection({ source, key: key || undefined, signal, onRedirect })
    const recorder = new Recorder(send, key || undefined)
    const recordedAt = new Date(clock()).toISOString()
    const result = await checkSource(source, {
      send: recorder.send,
      key: key || undefined,
      now: clock,
      scratchFolder,
      signal,
      onDocument: (bytes) => {
        for (const name of namesInDocument(bytes)) names.add(name)
      },
      onNotice: (notice) => notices.push(notice),
    })
    emit({ event: 'sourceChecked', ...result })
    const usual = mostLike(names, usualDocumentsOf(source, clock()), namesInDocument)
    const diagnosis = diagnose(source, {
      result,
      names,
      answerNames: new Set(recorder.bodies.flatMap((bytes) => [...namesInDocument(bytes)])),
      usual: usual.map(namesInDocument),
      host,
      parsers: parsersOf(source.id),
    })
    if (diagnosis === undefined) return 0
    await recorder.write(folder, { sourceId: source.id, recordedAt })
    await writeFile(join(folder, 'expected.json'), expectedText(membersLost(source, usual, notices)))
    emit({ event: 'sourceDiagnosed', source: source.id, ...diagnosis, folder, test: testOf(shelf) })
    return sourceExitCodes.differs
  } finally {
    await access.close()
    await rm(scratchFolder, { recursive: true, force: true })
  }
}

/** What replays the recordings of a folder. */
function testOf(shelf: string): string {
  const test = 'npx vitest run test/sources/recordings.system.test.ts'
  return shelf === resolve(ownRecordings) ? test : `REPLAY_DIR=${shelf} ${test}`
}

/** Documents as the simulator writes them for this portal, by their kind; none where the portal follows a standard. */
function usualDocumentsOf(source: Source, now: number): readonly (readonly Uint8Array[])[] {
  const own = simulated(source)
  if (!own.writeSample) return []
  const entries = sampleShelf({ seed: 'mend', epoch: now, base: 2 * usualOfKind }).entries(own, now)
  return [...Map.groupBy(entries, ({ sample }) => sample?.kind).values()].map((some) =>
    some.slice(-usualOfKind).map((entry) => Buffer.from(entry.text())),
  )
}

/** What a test of a recording compares. */
const comparedMembers = ['title', 'authority', 'deadline', 'value', 'cpv'] as const
type ComparedMember = (typeof comparedMembers)[number]

function hasMember(notice: Notice, member: ComparedMember): boolean {
  switch (member) {
    case 'title':
      return notice.title !== undefined
    case 'authority':
      return notice.contractingAuthorities[0]?.name !== undefined
    case 'deadline':
      return notice.submissionDate !== undefined
    case 'value':
      return (notice.estimatedValue ?? notice.awardedValue)?.value !== undefined
    case 'cpv':
      return notice.cpvCodes.length > 0
  }
}

/** What the notices of this portal always have, and none that it delivered now. */
function membersLost(
  source: Source,
  usual: readonly Uint8Array[],
  notices: readonly Notice[],
): readonly ComparedMember[] {
  const known = usual.flatMap((bytes) =>
    parserOf(source)(bytes).flatMap((part) => ('notice' in part ? part.notice : [])),
  )
  return comparedMembers.filter(
    (member) =>
      known.length > 0 &&
      known.every((notice) => hasMember(notice, member)) &&
      !notices.some((notice) => hasMember(notice, member)),
  )
}

/** Of the first entry: what is to be filled in. The test fails until it is, and until the card reads it. */
function expectedText(lost: readonly ComparedMember[]): string {
  const fillIn = "what the portal's page says"
  const values = { title: fillIn, authority: fillIn, deadline: fillIn, value: -1, cpv: [fillIn] }
  return `${JSON.stringify([Object.fromEntries(lost.map((member) => [member, values[member]]))], null, 2)}\n`
}

/** Files that a card imports to read documents; what parses them comes before what requests them. */
function parsersOf(id: string): string[] {
  const file = cardFileOf(id)
  // .js in the packed package
  const path = join(import.meta.dirname, '../../..', file).replace(/\.ts$/, extname(import.meta.filename))
  if (!existsSync(path)) return []
  const imported = [...readFileSync(path, 'utf8').matchAll(/'(\.[./\w-]*\/(?:parse|read)-[\w-]+)\.[jt]s'/g)]
  return imported.map(([, name]) => posix.join(posix.dirname(file), `${name}.ts`)).sort()
}
