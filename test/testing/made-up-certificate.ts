// Self-signed certificates, made by openssl: for servers of tests that speak TLS.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The paths of a key and its certificate for a name (`IP:127.0.0.1`, `DNS:elsewhere.example`), in this folder. */
export function madeUpCertificate(
  folder: string,
  name: string,
): { readonly key: string; readonly certificate: string } {
  const paths = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') }
  const named = ['-subj', '/CN=made up', '-addext', `subjectAltName=${name}`]
  const files = ['-keyout', paths.key, '-out', paths.certificate, '-days', '2', '-nodes']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...named], { stdio: 'ignore' })
  return paths
}
