// Attacks as a notice could carry them: markup, attributes, addresses, directions of writing, long words, cells of a
// table.

/** Each as a title, a name, an address or a code. */
export const hostileTexts: readonly string[] = [
  '<script>alert(1)</script>',
  '</title><script>alert(2)</script>',
  '</textarea></select></style></script><img src=x onerror=alert(3)>',
  '"><svg onload=alert(4)>',
  "' onmouseover='alert(5)' x='",
  '" autofocus onfocus="alert(6)',
  '<iframe srcdoc="<script>alert(7)</script>"></iframe>',
  '<a href="javascript:alert(8)">x</a>',
  '<math><mtext><style><img src=x onerror=alert(9)></style></mtext></math>',
  '<!--><script>alert(10)</script>-->',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<form action="https://evil.example/"><button>Sign in</button></form>',
  '<link rel="stylesheet" href="https://evil.example/a.css"><style>body{display:none}</style>',
  `\${alert(11)} {{constructor.constructor("alert(12)")()}} <%= 7 * 7 %>`,
  '&lt;script&gt;alert(13)&lt;/script&gt; &#x3c;script&#x3e;',
  'Bau \u202e3 negnatlA \u202d\u2066 und \u2067 mehr \u2069\u2069',
  'W'.repeat(300),
  '=HYPERLINK("https://evil.example/","Click") +1 @SUM(A1)',
  "'; drop table tender; --",
  '\u0000\u0007\u001b[31mrot\u001b[0m \ufeff',
]

/** As the address of a page, of documents, of a buyer. */
export const hostileAddresses: readonly string[] = [
  'javascript:alert(1)',
  ' javascript:alert(2)',
  'JaVaScRiPt:alert(3)//https://example.org',
  'java\nscript:alert(4)',
  'data:text/html,<script>alert(5)</script>',
  'vbscript:msgbox(6)',
  'file:///etc/passwd',
  'https://example.org/"onmouseover="alert(7)',
  'https://example.org/<script>alert(8)</script>',
  '//evil.example/',
]
