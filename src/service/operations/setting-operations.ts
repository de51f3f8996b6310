// `tenderstock config`: the settings in effect, where each comes from, and what is not usable or not known.
import { givenSettings, readConfig } from '../../platform/config.ts'
import { nearestWord } from '../../platform/nearest-word.ts'
import { fileVariable, keyVariable, type SettingSpec, settings } from '../../platform/settings.ts'
import { loadSources } from '../../sources/registry.ts'
import type { Operations } from '../control/operation-context.ts'
import type { Emit } from '../events/command-event.ts'

type UnknownSetting = { readonly name: string; readonly nearest: string | null }

/** Variables with our prefix that are no setting, with the one that may be meant. */
export async function unknownSettings(): Promise<readonly UnknownSetting[]> {
  const keys = [...(await loadSources()).values()].flatMap(({ access }) =>
    access.kind === 'key' ? [access.setting] : [],
  )
  const { known, unknown } = givenSettings([...new Set(keys)])
  const names = known.flatMap(({ name }) => [name, fileVariable(name)])
  return unknown.map((name) => ({ name, nearest: nearestWord(name, names) ?? null }))
}

/**
 * Reports every setting of this process, and each variable with our prefix that is not a setting. `isRunning`: this
 * process is the service. Throws OperatorError, last, when a value cannot be used.
 */
export async function showSettings({ isRunning }: { readonly isRunning: boolean }, emit: Emit): Promise<number> {
  const sources = [...(await loadSources()).values()]
  const keys = new Map(
    sources.flatMap(({ id, access }) =>
      access.kind === 'key' ? [[keyVariable(access.setting), { id, ...access }]] : [],
    ),
  )
  const { known } = givenSettings([...new Set([...keys.values()].map(({ setting }) => setting))])
  emit({ event: 'settingsOf', isRunning, pid: process.pid })
  for (const { name, from, value } of known) {
    const spec = (settings as { readonly [name: string]: SettingSpec })[name]
    emit({
      event: 'setting',
      name,
      from,
      value: value ?? null,
      default: spec?.default ?? null,
      isSecret: spec?.isSecret ?? spec === undefined,
      isSet: from !== 'default',
      source: keys.get(name)?.id ?? null,
    })
  }
  for (const each of await unknownSettings()) emit({ event: 'unknownSetting', ...each })
  readConfig()
  return 0
}

export const operations = {
  config: async (_context, _request, emit) => showSettings({ isRunning: true }, emit),
} satisfies Operations
