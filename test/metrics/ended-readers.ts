// Loaded before the program (`--import`): reader threads end while the file ENDED_READERS exists.
import { existsSync } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'

const file = process.env['ENDED_READERS']!
const isReader = typeof workerData === 'object' && workerData !== null && 'limiterMemory' in workerData
if (!isMainThread && isReader)
  setInterval(() => {
    if (existsSync(file)) process.exit(1)
  }, 100).unref()
