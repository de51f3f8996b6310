// The name of a document in a folder or bucket: the same in both, so that one can be copied to the other.

/**
 * `ab/cd/<document id>.zst`, where the id begins with abcd: 65,536 folders of some hundred files for 10 million
 * documents. Throws when the id is no SHA-256 in lower-case hex, so that nothing can point anywhere else.
 */
export function documentPath(documentId: string): string {
  if (!/^[0-9a-f]{64}$/.test(documentId)) throw new Error(`no document id: ${documentId.slice(0, 80)}`)
  return `${documentId.slice(0, 2)}/${documentId.slice(2, 4)}/${documentId}.zst`
}
