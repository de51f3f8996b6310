// The page at /access: how to begin, the limits, and an anchor for every problem type (C135). No script, nothing loaded
// from elsewhere.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { defaultLimit, listParameters, maxLimit, maxListItems } from './parameters/parameters.ts'
import { problemKind, problemSlugs } from './problems/problems.ts'
import { exampleProblem } from './routes.ts'
import { maxHeaderLines, maxHeadersLength, maxUrlLength } from './unreadable-requests.ts'

export type AccessPage = { readonly html: Buffer; readonly contentSecurityPolicy: string }

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Matches a moment, or a number of several digits: no line may break within it. */
const unbreakable = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|(?:[+-]|%2B)\d\d:\d\d)?|\d[\d.,]+\d/g

/** Formats code in a line of text: it may break after `=` and commas, never inside a number. */
function code(text: string): string {
  const parts = escapeHtml(text).replace(unbreakable, '<span class="whole">$&</span>')
  return `<code>${parts.replaceAll('=', '=<wbr>').replaceAll('class=<wbr>', 'class=')}</code>`
}

/** Formats text with `code` in backticks. */
function prose(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : code(part)))
    .join('')
}

function problemArticle(slug: (typeof problemSlugs)[number], docsUrl: string): string {
  const kind = problemKind(slug)
  const example = JSON.stringify(exampleProblem(slug, docsUrl), null, 2)
  return `<article class="problem" id="error-${slug}" aria-labelledby="title-${slug}">
<h3 id="title-${slug}"><span class="status">${kind.status}</span> ${escapeHtml(kind.title)} <code>${slug}</code></h3>
<dl><dt>Cause</dt><dd>${prose(kind.cause)}</dd><dt>What to do</dt><dd>${prose(kind.fix)}</dd><dt>Retry helps?</dt><dd>${prose(kind.retryText)}</dd></dl>
<details><summary>Example answer</summary><pre tabindex="0" aria-label="Example of ${slug}"><code>${escapeHtml(example)}</code></pre></details>
</article>`
}

function parameterRow({ name, description, examples }: (typeof listParameters)[number]): string {
  const example = Object.values(examples)[0] ?? ''
  return `<tr><td><code>${name}</code></td><td>${prose(description)}</td><td>${code(`${name}=${example}`)}</td></tr>`
}

const sections = [
  ['start', 'Quick start'],
  ['token', 'Authentication'],
  ['sync', 'Keeping a copy in step'],
  ['parameters', 'Parameters'],
  ['limits', 'Limits'],
  ['errors', 'Errors'],
] as const

function limitRows(): string {
  const rows = [
    ['Requests', '60 in any 60 seconds per organization, both tokens together; a contract may set more'],
    ['Records per page', `1 to ${maxLimit}, by default ${defaultLimit}`],
    ['Cursor', 'valid for 24 hours from its issue'],
    ['New editions', 'at most one per hour'],
    ['Archive', 'back to January 2022'],
    ['Tokens', 'two valid ones at a time per organization'],
    ['Items in a list parameter', `${maxListItems}`],
    ['Address and headers', `${maxUrlLength} bytes, and ${maxHeadersLength} bytes in ${maxHeaderLines} lines`],
  ] as const
  return rows.map(([what, value]) => `<tr><th scope="row">${what}</th><td>${value}</td></tr>`).join('\n')
}

/** Built once per process; addresses have no slash at the end. */
export function accessPage({ baseUrl, docsUrl }: { readonly baseUrl: string; readonly docsUrl: string }): AccessPage {
  const style = readFileSync(new URL('./access-page.css', import.meta.url), 'utf8')
  const address = escapeHtml(baseUrl)
  const menu = sections.map(([id, title]) => {
    const below =
      id === 'errors'
        ? `<ul>${problemSlugs.map((slug) => `<li><a href="#error-${slug}">${slug}</a></li>`).join('')}</ul>`
        : ''
    return `<li><a href="#${id}">${title}</a>${below}</li>`
  })
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Access to the Tender Data Read API</title>
<meta name="description" content="Quick start, authentication, limits and every error of the Tender Data Read API.">
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<div class="page">
<header>
<h1>Tender Data Read API</h1>
<p>Public tenders from an official journal and many portals, one record per tender, made for copies that stay in step. Read-only, JSON over HTTPS.</p>
</header>
<nav aria-label="On this page"><ul>${menu.join('')}</ul></nav>
<main id="main">
<h2 id="start">Quick start</h2>
<p>Open construction tenders in Bavaria, the first page:</p>
<pre tabindex="0" aria-label="Request for a list"><code>curl -H "Authorization: Bearer $TOKEN" \\
  "${address}/v1/tenders?cpv=45000000&amp;nuts=DE2&amp;limit=100"</code></pre>
<p>The answer holds complete records in <code>data</code> and a <code>nextCursor</code>. Ask for the next page with
the same address and <code>&amp;cursor=…</code> until <code>nextCursor</code> is <code>null</code>. One record by its
<code>id</code>:</p>
<pre tabindex="0" aria-label="Request for a record"><code>curl -H "Authorization: Bearer $TOKEN" \\
  "${address}/v1/tenders/{id}"</code></pre>
<p>The full description of every field is the <a href="${address}/openapi.json">OpenAPI document</a>.</p>

<h2 id="token">Authentication</h2>
<p>Every request carries the header <code>Authorization: Bearer &lt;token&gt;</code>. A person with the role Owner
creates tokens in the settings of the organization, in the area <em>API access</em>, which is there once access has
been set up.</p>
<ul>
<li>A token is shown once, and is a secret: keep it in a credential store, never in code or in an address. A token in the address is not read.</li>
<li>Two tokens may be valid at a time. To rotate: create the second, deploy it, watch the last use of the first, then revoke the first.</li>
<li>A revoked token stops to work within a minute.</li>
</ul>

<h2 id="sync">Keeping a copy in step</h2>
<ol>
<li>First run: your filters and <code>limit=100</code>, without <code>updated_since</code>. Follow
<code>nextCursor</code> to the end; create each record under its <code>id</code>.</li>
<li>Store the largest <code>lastModified</code> that you received. That is your state; never use your own clock.</li>
<li>Every hour: the same request with <code>updated_since</code> set to the state. Create or update by
<code>id</code>, then store the new largest <code>lastModified</code>. A run without records leaves the state as it
is.</li>
<li>Records with <code>archiveReason</code> <code>expired</code>, <code>cancelled</code> or <code>awarded</code> are
closed; <code>merged</code> means that the record named in <code>mergedInto</code> goes on.</li>
<li>After 429 or 503 wait the seconds of <code>Retry-After</code>. After 500, 502 or 504 wait 1, 2, 4, 8 and 16
minutes; then give the run up and keep the state.</li>
<li>After <a href="#error-cursor-expired">cursor-expired</a> start the run again with <code>updated_since</code> set to your state.</li>
</ol>

<h2 id="parameters">Parameters</h2>
<p>All are optional. Different filters combine with AND, several values of one with OR. A filter on a field leaves
out tenders that lack it. Unknown parameters are refused, so that a typo never turns into a full load.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table class="stack">
<thead><tr><th scope="col">Name</th><th scope="col">Effect</th><th scope="col">Example</th></tr></thead>
<tbody>
${listParameters.map(parameterRow).join('\n')}
</tbody></table></div>
<p>Timestamps need a zone: <code>Z</code>, or an offset whose <code>+</code> is best written as <code>%2B</code>.</p>

<h2 id="limits">Limits</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Limits"><table>
<tbody>
${limitRows()}
</tbody></table></div>
<p>Every counted answer shows <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and
<code>X-RateLimit-Reset</code>: the whole seconds until <code>Remaining</code> can rise. Answers 200, 304, 400, 404
and failures of the service count; 401, 403, 405, unknown paths, 429 and overload do not.</p>

<h2 id="errors">Errors</h2>
<p>Errors are <code>application/problem+json</code> (RFC 9457). Branch on <code>type</code>; <code>detail</code> is
for people; <code>errors</code> lists all faults of the parameters at once. Name <code>requestId</code> when you ask
us. New kinds may be added: treat one that you do not know by its status.</p>
${problemSlugs.map((slug) => problemArticle(slug, docsUrl)).join('\n')}
<footer><a href="${address}/openapi.json">OpenAPI document</a></footer>
</main>
</div>
</body>
</html>
`
  const styleHash = createHash('sha256').update(style).digest('base64')
  return {
    html: Buffer.from(html),
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
}
