// What to write of one record into a CRM, given what the CRM holds according to the ledger. Pure.
import { createHash } from 'node:crypto'
import { isLost } from '../../sync/lost-record.ts'
import type { TenderRecord } from '../../types.ts'
import type { LedgerEntry } from './crm-ledger.ts'
import type { HttpMapping, MappedField, Scalar } from './http-mapping.ts'
import { mappedProperties, mappedValue, targetStateOf } from './mapped-properties.ts'

export type CrmAction = 'create' | 'update' | 'close' | 'reopen' | 'merge'

type Properties = { readonly [name: string]: Scalar }

/**
 * A record that the run brings. `into`: its survivor, to which it points in the CRM; `mergedInto` of the record may
 * name one that was merged meanwhile. `retried` is the reason of its last refusal.
 */
export type Wanted = {
  readonly record: TenderRecord
  readonly into?: string | undefined
  readonly isCreating: boolean
  readonly retried?: string
}

export type Write = {
  readonly record: TenderRecord
  readonly into: string | undefined
  readonly entry: LedgerEntry | undefined
  readonly action: CrmAction
  readonly why: readonly string[]
  readonly hashes: string
  readonly properties: Properties
  /** Whether it comes from an earlier process that did not learn whether it arrived. */
  readonly sending: TenderRecord | undefined
  readonly isRetry: boolean
  readonly lastReason: string | undefined
}

const hashLength = 8
const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, hashLength)

const knownOfLost = new Set(['$state', 'id', 'status', 'archiveReason', 'lastModified'])
const isKnownOfLost = ({ from }: MappedField): boolean =>
  from !== undefined && [from].flat().every((path) => knownOfLost.has(path))

export class CrmWrites {
  readonly #mapping: HttpMapping
  /** The fields whose change causes a write. */
  readonly #counted: readonly MappedField[]
  readonly #emptyValue: string | null

  constructor(mapping: HttpMapping) {
    this.#mapping = mapping
    this.#counted = mapping.fields.filter(({ isPassive, when }) => !isPassive && when !== 'create')
    this.#emptyValue = mapping.emptyValue ?? null
  }

  /** Differs whenever hashes of the ledger cannot be compared. */
  get mappingHash(): string {
    return shortHash(JSON.stringify(this.#counted))
  }

  /** What to write; undefined: nothing. `sending` was sent before, without an answer. */
  writeOf(
    { record, into = record.mergedInto, retried }: Wanted,
    entry: LedgerEntry | undefined,
    {
      sending,
      isBackfill,
      isOtherMapping,
    }: { readonly sending: TenderRecord | undefined; readonly isBackfill: boolean; readonly isOtherMapping: boolean },
  ): Write | undefined {
    const mapping = this.#mapping
    const state = targetStateOf(record)
    const written = into === undefined ? record : { ...record, mergedInto: into }
    // Of a lost record nothing is known but its end: the properties in the CRM stay as they are.
    const hashes = isLost(record) ? (entry?.hashes ?? '') : this.#hashesOf(written)
    const isUnsure = sending !== undefined
    const isClosing = state === 'closed' && (isUnsure || entry?.state !== 'closed')
    const isMerging = state === 'merged' && (isUnsure || entry?.state !== 'merged' || entry.mergedInto !== into)
    const before = [entry?.state, sending && targetStateOf(sending)]
    const isReopening = state === 'open' && before.some((was) => was !== undefined && was !== 'open')
    const changed = isUnsure
      ? ['sent before']
      : entry
        ? this.#changedProperties(entry.hashes, hashes, isOtherMapping)
        : ['new']
    if (changed.length === 0 && !isClosing && !isMerging && !isReopening) return undefined
    const extra = [
      ...(isClosing ? mapping.close.fields : []),
      ...(isMerging ? mapping.merge.fields : []),
      ...(isReopening ? (mapping.reopen?.fields ?? []) : []),
    ]
    const fields = mapping.fields.filter(
      (field) => (field.when !== 'create' || !entry) && (!isLost(record) || isKnownOfLost(field)),
    )
    const context = { emptyValue: this.#emptyValue, isBackfill }
    return {
      record,
      into,
      entry,
      action: isMerging ? 'merge' : isClosing ? 'close' : isReopening ? 'reopen' : entry ? 'update' : 'create',
      why: retried === undefined ? changed : ['tried again', ...changed],
      hashes,
      properties: this.#inForm({
        ...mappedProperties(written, fields, context),
        ...mappedProperties(written, extra, context),
      }),
      sending,
      isRetry: retried !== undefined,
      lastReason: retried,
    }
  }

  #hashesOf(record: TenderRecord): string {
    const context = { emptyValue: this.#emptyValue, isBackfill: false }
    return this.#counted.map((field) => shortHash(JSON.stringify(mappedValue(record, field, context) ?? ''))).join('')
  }

  #changedProperties(before: string | undefined, after: string, isOtherMapping: boolean): string[] {
    if (before === undefined) return ['not in the ledger']
    if (isOtherMapping && before !== after) return ['mapping changed']
    return this.#counted
      .filter((_, index) => {
        const from = index * hashLength
        return before.slice(from, from + hashLength) !== after.slice(from, from + hashLength)
      })
      .map(({ to }) => to)
  }

  #inForm(properties: Properties): Properties {
    if (!this.#mapping.valuesAsText) return properties
    return Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, value === null ? null : String(value)]),
    )
  }
}
