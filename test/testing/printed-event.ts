// A JSON line of a command, as a program that knows no types reads it.

export type PrintedEvent = { readonly event: string; readonly [member: string]: unknown }
