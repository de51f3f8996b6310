// Whether webhooks may be sent to this machine: for trials, never with live notices or a shared database.

import type { Config } from '../../platform/config.ts'
import type { Store } from '../../store/database/database.ts'
import { getSetting, setSetting } from '../../store/database/settings.ts'
import type { AddressRule } from '../../webhooks/endpoint-address.ts'

const settingName = 'loopback-webhooks'

/** Stored, so that commands that run while the service is stopped allow the same. */
export function allowLoopbackWebhooks({ db }: Pick<Store, 'db'>, isAllowed: boolean): Promise<void> {
  return setSetting(db, settingName, isAllowed ? 'yes' : 'no')
}

/** The rule of the last start; never true with a database server. */
export async function webhookAddressRule(
  { db }: Pick<Store, 'db'>,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
): Promise<AddressRule> {
  return { allowsLoopback: databaseUrl === undefined && (await getSetting(db, settingName)) === 'yes' }
}
