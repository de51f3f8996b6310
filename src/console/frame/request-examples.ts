// A request to the API as people would write it: curl, TypeScript and Python. Each runs as it stands with TENDER_TOKEN
// set.

export const exampleLanguages = ['curl', 'typescript', 'python'] as const
export type ExampleLanguage = (typeof exampleLanguages)[number]

export const exampleNames: { readonly [language in ExampleLanguage]: string } = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
}

/** `path` begins with `/v1`; its query is encoded as URLSearchParams writes it. */
export function requestExample(language: ExampleLanguage, apiAddress: string, path: string): string {
  const address = `${apiAddress}${path}`
  switch (language) {
    case 'curl':
      return `curl -H "Authorization: Bearer $TENDER_TOKEN" ${shellQuoted(address)}`
    case 'typescript':
      return [
        `const answer = await fetch(${JSON.stringify(address)}, {`,
        "  headers: { authorization: 'Bearer ' + process.env.TENDER_TOKEN },",
        '})',
        'if (!answer.ok) throw new Error(await answer.text())',
        'console.log(await answer.json())',
      ].join('\n')
    case 'python':
      return [
        'import json, os, urllib.request',
        '',
        'request = urllib.request.Request(',
        `    ${JSON.stringify(address)},`,
        '    headers={"Authorization": f"Bearer {os.environ[\'TENDER_TOKEN\']}"},',
        ')',
        'with urllib.request.urlopen(request) as answer:',
        '    print(json.load(answer))',
      ].join('\n')
  }
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
