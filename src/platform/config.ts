// The only place that reads the environment. Each setting is read once, checked, and handed on as a value.
import { OperatorError } from './errors.ts'

/** Settings that come from the environment; what a command can be told on its command line is not here. */
export type Config = {
  /** DATABASE_URL: a PostgreSQL server (15 or newer); absent means the embedded engine. */
  readonly databaseUrl?: string
  /** REDIS_URL: Valkey or Redis that shares rate limits between processes; absent means limits in process. */
  readonly redisUrl?: string
  /** TENDERSTOCK_DOCS_URL: where the pages that explain the problem types stand; absent means the service's own /access page. */
  readonly docsUrl?: string
}

/** An environment as process.env delivers it. */
export type Environment = { readonly [name: string]: string | undefined }

/** Reads the settings. Throws OperatorError that names the variable when a value cannot be used. */
export function readConfig(environment: Environment = process.env): Config {
  const databaseUrl = urlOf(
    environment,
    'DATABASE_URL',
    ['postgres:', 'postgresql:'],
    'postgres://user:password@host:5432/name',
  )
  const redisUrl = urlOf(environment, 'REDIS_URL', ['redis:', 'rediss:', 'valkey:', 'valkeys:'], 'redis://host:6379')
  const docsUrl = urlOf(environment, 'TENDERSTOCK_DOCS_URL', ['http:', 'https:'], 'https://docs.example.org/api')
  return {
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(redisUrl !== undefined && { redisUrl }),
    ...(docsUrl !== undefined && { docsUrl: docsUrl.replace(/\/+$/, '') }),
  }
}

/** The operator's key of a source: `TENDERSTOCK_` and the setting that its card names; undefined when it is not set. */
export function sourceKey(setting: string, environment: Environment = process.env): string | undefined {
  return environment[`TENDERSTOCK_${setting}`]?.trim() || undefined
}

/** A PostgreSQL URL given as an argument. Throws OperatorError when it is none. */
export function checkDatabaseUrl(text: string, name = 'DATABASE_URL'): string {
  return checkUrl(text, name, ['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/name')
}

function urlOf(
  environment: Environment,
  name: string,
  protocols: readonly string[],
  example: string,
): string | undefined {
  const text = environment[name]?.trim()
  return text ? checkUrl(text, name, protocols, example) : undefined
}

// The value is never repeated in the message: it may hold a password.
function checkUrl(text: string, name: string, protocols: readonly string[], example: string): string {
  const url = URL.parse(text)
  if (!url || !protocols.includes(url.protocol)) {
    throw new OperatorError(`${name} is not a usable address; write it like ${example}.`, { exitCode: 2 })
  }
  return text
}
