export const accessPage = (docsUrl: string) => ({ html: docsUrl, contentSecurityPolicy: "default-src 'none'" })
