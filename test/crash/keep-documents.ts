// Stores documents in a folder until it is killed, and prints the ID of each as soon as `put` returns.
import { createHash } from 'node:crypto'
import { systemClock } from '../../src/platform/clock.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { openFolderDocuments } from '../../src/store/files/folder-documents.ts'
import { packDocument } from '../../src/store/received/documents.ts'

const [folder, life] = process.argv.slice(2) as [string, string]
const store = await openFolderDocuments(folder, { clock: systemClock, random: systemRandom })
for (let batch = 0; ; batch += 1) {
  const documents = Array.from({ length: 20 }, (_, index) => {
    const bytes = Buffer.from(`made up ${life}.${batch}.${index} `.repeat(500 + index * 100))
    return { documentId: createHash('sha256').update(bytes).digest('hex'), packed: packDocument(bytes) }
  })
  await store.put(documents)
  process.stdout.write(documents.map(({ documentId }) => `${documentId}\n`).join(''))
}
