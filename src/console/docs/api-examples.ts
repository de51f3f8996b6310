// The loop over all pages of a list in three languages, for the reference. A test runs each against an API, as it is
// shown.
import { type ExampleLanguage, requestExample } from '../frame/request-examples.ts'

/** `curl` requests only the first page: a loop needs a program. */
export function listExample(language: ExampleLanguage, api: string): string {
  switch (language) {
    case 'curl':
      return requestExample('curl', api, '/v1/tenders?cpv=45000000&archived=true&limit=100')
    case 'typescript':
      return `const query = new URLSearchParams({ cpv: '45000000', archived: 'true', limit: '100' })
let count = 0
while (true) {
  const answer = await fetch(\`${api}/v1/tenders?\${query}\`, {
    headers: { authorization: 'Bearer ' + process.env.TENDER_TOKEN },
  })
  if (!answer.ok) throw new Error(await answer.text())
  const { data, nextCursor } = await answer.json()
  count += data.length
  if (nextCursor === null) break
  query.set('cursor', nextCursor)
}
console.log(\`\${count} tenders\`)`
    case 'python':
      return `import json, os
from urllib.parse import urlencode
from urllib.request import Request, urlopen

query = {"cpv": "45000000", "archived": "true", "limit": "100"}
headers = {"Authorization": "Bearer " + os.environ["TENDER_TOKEN"]}
count = 0
while True:
    with urlopen(Request("${api}/v1/tenders?" + urlencode(query), headers=headers)) as answer:
        page = json.load(answer)
    count += len(page["data"])
    if page["nextCursor"] is None:
        break
    query["cursor"] = page["nextCursor"]
print(count, "tenders")`
  }
}

/** The name of a language after a fence. */
export const fenceOf: { readonly [language in ExampleLanguage]: string } = {
  curl: 'sh',
  typescript: 'ts',
  python: 'python',
}
