// How fast notices are read: our parser, from bytes to notices, against xmllint, from bytes to nothing, on the corpus.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPath } from '../src/sources/files.ts'
import { cpuSeconds, findProgram } from './processes.ts'
import { median } from './speed/row.ts'

export type ParseReport = {
  readonly documents: number
  readonly megabytes: number
  /** Seconds of CPU of a whole process over the same files, medians. */
  readonly xmllintSeconds?: number
  readonly oursSeconds?: number
  /** Seconds of CPU of our parser alone, in a process that is warm. */
  readonly oursWarmSeconds?: number
  readonly notes: readonly string[]
}

/** Writes the XML notices of the corpus to `folder`, one file each. */
export async function unpackCorpus(
  corpus: string,
  folder: string,
): Promise<{ readonly files: string[]; readonly bytes: number }> {
  const files: string[] = []
  let bytes = 0
  mkdirSync(folder, { recursive: true })
  for (const part of ['ted-eforms', 'ted-legacy', 'doffin-eforms']) {
    for await (const document of readPath(join(corpus, part))) {
      if (document.unreadable || document.bytes[0] !== 0x3c) continue
      const file = join(folder, `${files.length}.xml`)
      writeFileSync(file, document.bytes)
      files.push(file)
      bytes += document.bytes.length
    }
  }
  return { files, bytes }
}

/** Unpacks the corpus' XML notices to a folder and lets both read it in turns. */
export async function benchParse({
  corpus,
  rounds,
  onProgress,
}: {
  readonly corpus: string
  readonly rounds: number
  readonly onProgress: (text: string) => void
}): Promise<ParseReport> {
  if (!existsSync(corpus)) return { documents: 0, megabytes: 0, notes: ['skipped: parsing (no corpus)'] }
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-bench-parse-'))
  try {
    const { files, bytes } = await unpackCorpus(corpus, join(folder, 'xml'))
    const list = join(folder, 'list')
    writeFileSync(list, files.join('\n'))
    const xmllint = findProgram('xmllint')
    const seconds = { xmllint: [] as number[], ours: [] as number[], warm: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      if (xmllint)
        seconds.xmllint.push(cpuSeconds(`xargs ${xmllint} --stream --noout --huge < ${list} 2>/dev/null`).seconds)
      seconds.ours.push(cpuSeconds(`${process.execPath} bench/parse-documents.ts ${list}`).seconds)
      const warm = cpuSeconds(`${process.execPath} bench/parse-documents.ts ${list} --warm`)
      seconds.warm.push((JSON.parse(warm.output) as { warmSeconds: number }).warmSeconds)
      onProgress(`parsing: round ${round + 1} of ${rounds}`)
    }
    return {
      documents: files.length,
      megabytes: bytes / 1e6,
      ...(xmllint && { xmllintSeconds: median(seconds.xmllint) }),
      oursSeconds: median(seconds.ours),
      oursWarmSeconds: median(seconds.warm),
      notes: xmllint ? [] : ['skipped: xmllint (not installed)'],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
