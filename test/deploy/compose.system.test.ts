// compose.yaml, run without its runtime: each service has its own network namespace and the names, the command and the
// environment that the file gives it; PostgreSQL, Redis (for Valkey) and Caddy come from Debian. A client asks over
// HTTPS, with the certificate of Caddy's own authority. `npm run proof -- container`.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const isFull = process.env['PROOF'] === 'full'
const host = 'localhost'
const user = 10_001
const { services } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, { command?: string[]; environment?: Record<string, string>; volumes?: string[] }>
}
const names = [...Object.keys(services), 'client']
const addressOf = (name: string): string => `10.77.0.${names.indexOf(name) + 2}`

describe.skipIf(!isFull)('compose.yaml', () => {
  // readable for the users of all services
  const folder = isFull ? mkdtempSync('/var/tmp/tenderstock-compose-') : ''
  const running: ChildProcess[] = []
  const printed: Record<string, string> = {}
  let world: ChildProcess
  let token: string

  const inside = (name: string, command: readonly string[]): string[] => [
    ...['-t', String(world.pid), '--net', '--mount'],
    ...['ip', 'netns', 'exec', name, ...command],
  ]
  const as = (id: number | string, command: readonly string[]): string[] => [
    ...['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--no-new-privs'],
    ...command,
  ]
  const run = (name: string, ...command: string[]): string => {
    const done = spawnSync('nsenter', inside(name, command), { encoding: 'utf8', cwd: '/' })
    if (done.status !== 0) throw new Error(`${command.join(' ')}: ${done.stderr}${done.stdout}`)
    return done.stdout.trim()
  }
  const start = (name: string, command: readonly string[], env: Record<string, string>) => {
    const child = spawn('nsenter', inside(name, command), { cwd: '/', env: { PATH: process.env['PATH'], ...env } })
    printed[name] = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed[name] += text))
    running.push(child)
  }
  /** As compose fills in what the shell has. */
  const environmentOf = (name: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(services[name]!.environment ?? {}).map(([key, value]) => [
        key,
        value.replace(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => (variable === 'TENDERSTOCK_HOST' ? host : '')),
      ]),
    )
  const program = (name: string, ...args: string[]): string[] =>
    as(
      user,
      ['node', join(root, 'src/bin/tenderstock.cjs'), ...args].map((arg) => (arg === '/data' ? dataOf(name) : arg)),
    )
  const dataOf = (name: string): string => join(folder, name)
  const ask = (path: string, ...options: string[]) => {
    const text = run(
      'client',
      'curl',
      ...['--silent', '--show-error', '--include', '--max-time', '20', '--user-agent', 'stranger/1'],
      ...['--cacert', join(folder, 'caddy/caddy/pki/authorities/local/root.crt')],
      ...['--connect-to', `${host}:443:${addressOf('caddy')}:443`, ...options, `https://${host}${path}`],
    )
    const [head, body] = text.split(/\r\n\r\n([\s\S]*)/)
    const [status, ...lines] = head!.split('\r\n')
    const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(/: (.*)/)))
    return { status: Number(status!.split(' ')[1]), headers, body: body ?? '' }
  }

  beforeAll(async () => {
    chmodSync(folder, 0o755)
    world = spawn('unshare', [
      '--net',
      '--mount',
      'sh',
      '-c',
      'mount -t tmpfs tmpfs /run && echo up && exec sleep infinity',
    ])
    await once(world.stdout!, 'data')
    const within = (script: string) => {
      const done = spawnSync('nsenter', ['-t', String(world.pid), '--net', '--mount', 'sh', '-ec', script], {
        encoding: 'utf8',
      })
      if (done.status !== 0) throw new Error(done.stderr)
    }
    writeFileSync(
      join(folder, 'hosts'),
      ['127.0.0.1 localhost', ...names.map((name) => `${addressOf(name)} ${name}`)].join('\n'),
    )
    within(`mount --bind ${folder}/hosts /etc/hosts; ip link add bridge type bridge; ip link set bridge up`)
    for (const name of names)
      within(`ip netns add ${name}
        ip link add to-${name} type veth peer name eth0 netns ${name}
        ip link set to-${name} master bridge up
        ip -n ${name} addr add ${addressOf(name)}/24 dev eth0
        ip -n ${name} link set lo up; ip -n ${name} link set eth0 up`)
    // the commands of docs/install.md
    within(`mkdir -p /run/secrets; cd /run; openssl rand -hex 24 > secrets/postgres-password
      echo "postgres://tenderstock:$(cat secrets/postgres-password)@postgres:5432/tenderstock" > secrets/database-url
      openssl rand -base64 32 > secrets/secret-key
      chmod 644 secrets/*`)
    for (const name of ['publisher', 'api', 'caddy']) {
      mkdirSync(dataOf(name))
      chownSync(dataOf(name), user, user)
    }

    // as the entrypoint of its image does
    const bin = globSync('/usr/lib/postgresql/*/bin').sort().at(-1)!
    within(`install -d -o postgres ${folder}/postgres`)
    const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD_FILE } = environmentOf('postgres')
    const initialize = [
      '--username',
      POSTGRES_USER!,
      '--pwfile',
      POSTGRES_PASSWORD_FILE!,
      '--auth-host',
      'scram-sha-256',
    ]
    run('postgres', ...as('postgres', [join(bin, 'initdb'), '-D', dataOf('postgres'), ...initialize]))
    within(`echo 'host all all all scram-sha-256' >> ${folder}/postgres/pg_hba.conf`)
    const sockets = ['-c', `unix_socket_directories=${dataOf('postgres')}`, '-c', 'listen_addresses=*']
    start('postgres', as('postgres', [join(bin, 'postgres'), '-D', dataOf('postgres'), ...sockets]), {})
    await vi.waitFor(() => run('postgres', join(bin, 'pg_isready'), '-h', 'postgres'), {
      timeout: 30_000,
      interval: 300,
    })
    run('postgres', join(bin, 'createdb'), '-h', dataOf('postgres'), '-U', POSTGRES_USER!, POSTGRES_DB!)
    // the image of Valkey is built without the protected mode
    const [, ...valkey] = services['valkey']!.command!
    start('valkey', as(user, ['redis-server', ...valkey, '--protected-mode', 'no', '--dir', dataOf('caddy')]), {})

    // sample portals instead of none, so that there is an edition
    const args = services['publisher']!.command!.filter((arg) => arg !== '--no-samples')
    start('publisher', program('publisher', ...args), environmentOf('publisher'))
    // with the access log of docs/monitoring.md
    start('api', program('api', ...services['api']!.command!, '--log-level', 'info'), environmentOf('api'))
    const caddyfile = services['caddy']!.volumes![0]!.split(':')[0]!
    run('caddy', 'sysctl', '-qw', 'net.ipv4.ip_unprivileged_port_start=0')
    start('caddy', as(user, ['caddy', 'run', '--config', join(root, caddyfile), '--adapter', 'caddyfile']), {
      ...environmentOf('caddy'),
      XDG_DATA_HOME: dataOf('caddy'),
      HOME: dataOf('caddy'),
    })
    await vi.waitFor(() => expect(ask('/readyz').status, JSON.stringify(printed)).toBe(200), {
      timeout: 200_000,
      interval: 1_000,
    })
    const call = (...args: string[]) =>
      run(
        'publisher',
        ...['env', ...Object.entries(environmentOf('publisher')).map(([key, value]) => `${key}=${value}`)],
        ...program('publisher', ...args, '--data', '/data', '--json'),
      )
    call('organization', 'create', 'Acme Ltd')
    const made = call('token', 'create', 'Acme Ltd')
    const shown = /"(?:plaintext|token|secret)":"([^"]+)"/.exec(made)
    if (!shown) throw new Error(made)
    token = shown[1]!
  }, 240_000)
  afterAll(async () => {
    for (const child of [...running.reverse(), world]) {
      if (child.exitCode !== null) continue
      const ended = once(child, 'exit')
      child.kill(child === world ? 'SIGKILL' : 'SIGTERM')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }, 60_000)

  test('answers over HTTPS, with the headers of docs and the address of the client in the log', async () => {
    expect(ask('/healthz').status).toBe(200)
    const list = ask('/v1/tenders?limit=2', '--header', `authorization: Bearer ${token}`)
    expect(list).toMatchObject({ status: 200, headers: { 'strict-transport-security': 'max-age=31536000' } })
    expect((JSON.parse(list.body) as { data: unknown[] }).data.length).toBeGreaterThan(0)
    expect(list.headers).not.toHaveProperty('server')
    expect(list.headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
    const refused = ask('/v1/tenders', '--header', 'x-forwarded-for: 192.0.2.9')
    expect(refused.status).toBe(401)
    expect(JSON.parse(refused.body)).toMatchObject({ type: `https://${host}/access#error-unauthorized` })
    await vi.waitFor(() => expect(printed['api']).toContain(refused.headers['x-request-id']))
    const line = printed['api']!.split('\n').find((each) => each.includes(refused.headers['x-request-id']!))!
    expect(line).toContain(addressOf('client'))
    expect(line).toContain('stranger/1')
    expect(line).not.toContain('192.0.2.9')
  }, 60_000)

  test('keeps the console in the container of the publisher', () => {
    const page = ['curl', '--silent', '--location', '--max-time', '10', '--write-out', '%{http_code}']
    expect(run('publisher', ...page, 'http://127.0.0.1:8081/')).toMatch(/<html[\s\S]*200$/)
    expect(() => run('client', ...page, `http://${addressOf('publisher')}:8081/`)).toThrow()
  })

  test('an API that is away is a problem that Caddy writes', async () => {
    const api = running.find((child) => child.spawnargs.includes('serve'))!
    const ended = once(api, 'exit')
    api.kill('SIGTERM')
    await ended
    expect(api.exitCode).toBe(0)
    const away = ask('/v1/tenders?limit=2', '--header', `authorization: Bearer ${token}`)
    expect(away).toMatchObject({ status: 502, headers: { 'content-type': 'application/problem+json' } })
    expect(JSON.parse(away.body)).toMatchObject({ status: 502, instance: '/v1/tenders' })
  }, 60_000)
})
