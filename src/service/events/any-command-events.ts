// What any command may report.
import type { ErrorCode } from '../../platform/error-codes.ts'

/** Long work whose progress is reported. */
export type ProgressStage =
  | 'ingest'
  | 'consolidate'
  | 'publish'
  | 'reparse'
  | 'rebuild'
  | 'redact'
  | 'backfill'
  | 'export'
  | 'openData'
  | 'check'
  | 'backup'
  | 'verify'
  | 'restore'

export type AnyCommandEvents = {
  progress: { stage: ProgressStage; done: number; total?: number; detail?: string; source?: string; table?: string }
  waiting: { for: string; busyWith: string }
  warning: { message: string }
  /** There is nothing to list or to do. */
  none: { message: string }
  /** What to know, or to do next. */
  note: { message: string }
  /** `code` is listed in docs/error-codes.md. */
  error: { code: ErrorCode; message: string; exitCode: number; trace?: string }
  /** `script`: what the shell runs. */
  completion: { shell: string; script: string }
  /** `check`: what was examined; `message` says what to do where something is wrong. */
  finding: { check: string; state: 'ok' | 'warning' | 'problem'; message: string }
  findings: { ok: number; warnings: number; problems: number }
}
