// The image, built by buildah on a Debian that debootstrap makes, started without rights on a read-only file system,
// and queried. There is no registry here and no daemon: namespaces of the kernel replace a runtime. `npm run proof --
// container`.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPrintedEvent } from '../testing/printed-event.ts'

const root = join(import.meta.dirname, '../..')
const isFull = process.env['PROOF'] === 'full'
/** As the Dockerfile promises. */
const user = 10_001
const maxCompressedBytes = 150_000_000

describe.skipIf(!isFull)('the container', () => {
  const folder = isFull ? mkdtempSync(join(tmpdir(), 'tenderstock-container-')) : ''
  const run = (command: string, args: readonly string[]): string =>
    execFileSync(command, args, {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      env: { ...process.env, TMPDIR: folder },
    }).trim()
  const buildah = (...args: string[]): string =>
    run('buildah', [
      '--root',
      join(folder, 'store'),
      '--runroot',
      join(folder, 'run'),
      '--storage-driver',
      'vfs',
      ...args,
    ])
  let image: { readonly config: Record<string, unknown>; readonly folder: string; readonly compressed: number }

  beforeAll(() => {
    const base = join(folder, 'base')
    run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base])
    for (const name of [
      'var/cache/apt/archives',
      'var/lib/apt/lists',
      'usr/share/doc',
      'usr/share/man',
      'usr/share/locale',
    ])
      rmSync(join(base, name), { recursive: true, force: true })
    const debian = buildah('from', 'scratch')
    buildah('add', '-q', debian, base, '/')
    buildah('commit', '-q', debian, 'localhost/debian')
    const npm = join(realpathSync(run('sh', ['-c', 'command -v npm'])), '../..')
    const node = buildah('from', 'localhost/debian')
    buildah('copy', '-q', node, join(root, 'node_modules/node/bin/node'), '/usr/local/bin/node')
    buildah('copy', '-q', node, npm, '/usr/local/lib/node_modules/npm')
    const link = ['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm']
    buildah('run', '--isolation', 'chroot', node, '--', ...link)
    buildah('commit', '-q', node, 'localhost/node')

    // the certificates and the cache of this machine, only for npm
    const npmrc = join(folder, 'npmrc')
    writeFileSync(npmrc, 'cafile=/etc/ssl/certs/ca-certificates.crt\n')
    const mounts = [
      '/etc/ssl/certs:/etc/ssl/certs:ro',
      `${npmrc}:/root/.npmrc:ro`,
      `${run('npm', ['config', 'get', 'cache'])}:/root/.npm`,
    ]
    mkdirSync(run('npm', ['config', 'get', 'cache']), { recursive: true })
    const images = ['--build-arg', 'BUILD_IMAGE=localhost/node', '--build-arg', 'BASE_IMAGE=localhost/debian']
    const volumes = mounts.flatMap((mount) => ['--volume', mount])
    buildah(
      'build',
      '--quiet',
      '--format',
      'docker',
      '--isolation',
      'chroot',
      ...images,
      ...volumes,
      '-t',
      'localhost/tenderstock',
      root,
    )

    const pushed = join(folder, 'pushed')
    buildah('push', '-q', '--compression-format', 'gzip', 'localhost/tenderstock', `dir:${pushed}`)
    const compressed = readdirSync(pushed).reduce((sum, name) => sum + statSync(join(pushed, name)).size, 0)
    const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/tenderstock')) as {
      Docker: { config: Record<string, unknown> }
    }
    const container = buildah('from', 'localhost/tenderstock')
    image = { config: Docker.config, folder: buildah('mount', container), compressed }
  }, 1_800_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('is small, and its labels say how to run it', () => {
    console.log(`container: ${Math.round(image.compressed / 1e6)} MB compressed`)
    expect(image.compressed).toBeLessThan(maxCompressedBytes)
    expect(image.config).toMatchObject({ User: `${user}:${user}`, Volumes: { '/data': {} }, StopSignal: 'SIGTERM' })
    expect(existsSync(join(image.folder, 'opt/tenderstock/dist/bin/tenderstock.js'))).toBe(true)
    expect(existsSync(join(image.folder, 'opt/tenderstock/node_modules/typescript'))).toBe(false)
    expect(statSync(join(image.folder, 'data')).uid).toBe(user)
  })

  /** A container of the image with this folder as its volume; resolves when it has said `ready`. */
  const startImage = async (data: string, command?: readonly string[]) => {
    const { Entrypoint, Cmd, Env } = image.config as { Entrypoint: string[]; Cmd: string[]; Env: string[] }
    const environment = ['env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin', ...Env]
    const args = ['--mount', '--net', 'sh', join(import.meta.dirname, 'run-image.sh'), image.folder, data]
    const service = spawn('unshare', [...args, ...environment, ...Entrypoint, ...(command ?? Cmd)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(service, 'close')
    const names: string[] = []
    for await (const line of createInterface({ input: service.stdout })) {
      names.push(readPrintedEvent(line).event)
      if (names.at(-1) === 'ready') break
    }
    return {
      isReady: names.at(-1) === 'ready',
      /** As `docker exec` does. */
      inside: (...command: string[]) =>
        spawnSync(
          'nsenter',
          [
            ...['-t', String(service.pid), '--net', '--mount'],
            ...['chroot', `--userspec=${user}:${user}`, image.folder, ...environment, ...command],
          ],
          { encoding: 'utf8' },
        ),
      /** Resolves to the exit code. */
      end: async (signal: 'SIGTERM' | 'SIGKILL') => {
        service.kill(signal)
        await closed
        return service.exitCode
      },
    }
  }
  const newVolume = (name: string): string => {
    const data = join(folder, name)
    mkdirSync(data)
    chownSync(data, user, user)
    return data
  }
  const program = ['node', '/opt/tenderstock/src/bin/tenderstock.cjs']

  test('runs without privileges on a read-only file system, is healthy, and stops cleanly', async () => {
    const { Healthcheck } = image.config as { Healthcheck: { Test: string[] } }
    const service = await startImage(newVolume('data'))
    try {
      expect(service.isReady).toBe(true)
      const [kind, ...check] = Healthcheck.Test
      expect(kind).toBe('CMD')
      expect(service.inside(...check)).toMatchObject({ status: 0, stderr: '' })
      const ask =
        "fetch('http://127.0.0.1:8080/openapi.json').then((r) => r.json()).then((c) => console.log(c.openapi))"
      expect(service.inside('node', '-e', ask).stdout).toMatch(/^3\.1/)
      const write = service.inside('sh', '-c', 'id -u; touch /data/x; touch /x /opt/tenderstock/x')
      expect(write).toMatchObject({ status: 1, stdout: `${user}\n` })
      expect(write.stderr.match(/Read-only file system/g)).toHaveLength(2)
      expect(write.stderr).not.toContain('/data')
    } finally {
      expect(await service.end('SIGTERM')).toBe(0)
    }
  }, 300_000)

  test('is backed up while it runs, lost, and restored into another volume', async () => {
    const first = newVolume('lost')
    const ids = `(async () => {
      const authorization = 'Bearer ' + require('fs').readFileSync(process.argv[1], 'utf8').trim()
      const found = []
      for (let cursor = ''; cursor !== undefined; ) {
        const answer = await fetch('http://127.0.0.1:8080/v1/tenders?limit=100' + cursor, { headers: { authorization } })
        const page = await answer.json()
        found.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor ? '&cursor=' + encodeURIComponent(page.nextCursor) : undefined
      }
      console.log(found.sort().join(' '))
    })()`
    const lost = await startImage(first, ['start', '--data', '/data', '--json'])
    let before = ''
    try {
      before = lost.inside('node', '-e', ids, '/data/trial-token').stdout
      expect(before.split(' ').length).toBeGreaterThan(100)
      expect(lost.inside(...program, 'backup', '/data/backups/one', '--data', '/data')).toMatchObject({ status: 0 })
    } finally {
      await lost.end('SIGKILL')
    }

    const second = newVolume('restored')
    renameSync(join(first, 'backups'), join(second, 'backups'))
    renameSync(join(first, 'secret-key'), join(second, 'secret-key'))
    renameSync(join(first, 'trial-token'), join(second, 'token'))
    rmSync(first, { recursive: true })
    const restored = await startImage(second, ['restore', '/data/backups/one', '--data', '/data/stock', '--json'])
    expect(await restored.end('SIGTERM')).toBe(0)
    renameSync(join(second, 'secret-key'), join(second, 'stock/secret-key'))
    const again = await startImage(second, ['start', '--data', '/data/stock', '--json'])
    try {
      expect(again.isReady).toBe(true)
      expect(again.inside('node', '-e', ids, '/data/token').stdout).toBe(before)
      const status = again.inside(...program, 'status', '--data', '/data/stock')
      expect(status).toMatchObject({ status: 0, stderr: '' })
    } finally {
      await again.end('SIGTERM')
    }
  }, 300_000)
})
