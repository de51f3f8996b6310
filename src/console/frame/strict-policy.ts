// What a browser may do with an answer of the console: nothing inline, nothing from elsewhere, no frame around it.

export const strictPolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'",
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
].join('; ')
