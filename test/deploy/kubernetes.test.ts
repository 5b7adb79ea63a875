import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { HEALTH_PATH, READY_PATH } from '../../src/web/server.ts'
import { perfTriage } from '../cli/commands/capture.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'deploy/kubernetes')
const configuration = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')

const probe = z.looseObject({ httpGet: z.object({ path: z.string(), port: z.literal('http') }) })
const reference = z.object({ name: z.string() })
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).min(1),
  env: z.array(z.looseObject({ name: z.string() })).default([]),
  envFrom: z.array(z.union([z.object({ configMapRef: reference }), z.object({ secretRef: reference })])),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources: z.object({ requests: z.record(z.string(), z.string()), limits: z.object({ memory: z.string() }) }),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
})
const pod = z.looseObject({
  automountServiceAccountToken: z.literal(false),
  securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.literal(1000) }),
  containers: z.array(container).min(1),
  volumes: z.array(z.looseObject({ name: z.string() })),
})
const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.enum(['ConfigMap', 'PersistentVolumeClaim', 'Deployment', 'Service', 'PodDisruptionBudget', 'Job']),
  metadata: z.looseObject({ name: z.string().regex(/^perf-triage(-\w+)?$/) }),
})

const files = globSync('*.yaml', { cwd: FOLDER }).toSorted()
const documents = files.flatMap((file) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => {
    expect(document.errors, file).toEqual([])
    return { file, ...manifest.parse(document.toJS()) }
  }),
)
const pods = documents
  .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  .map(({ file, ...one }) => {
    const { spec } = z.looseObject({ spec: z.looseObject({ template: z.looseObject({ spec: pod }) }) }).parse(one)
    return { file, kind: one.kind, ...spec.template.spec }
  })
const containers = pods.flatMap(({ containers: own }) => own)

test('each pod runs as nobody’s root, on a root that is only read, and writes where a volume is', () => {
  expect(pods.length).toBeGreaterThan(1)
  for (const { file, containers: own, volumes } of pods) {
    for (const { volumeMounts } of own) {
      expect(volumeMounts.map(({ name }) => name).toSorted(), file).toEqual(volumes.map(({ name }) => name).toSorted())
      expect(
        volumeMounts.map(({ mountPath }) => mountPath),
        file,
      ).toContain('/data')
    }
  }
})

test('every variable is one of the bot or of Node, and no secret stands in a manifest', () => {
  const maps = documents.filter(({ kind }) => kind === 'ConfigMap')
  const data = maps.flatMap((one) =>
    Object.keys(z.looseObject({ data: z.record(z.string(), z.string()) }).parse(one).data),
  )
  const names = [...data, ...containers.flatMap(({ env }) => env.map(({ name }) => name))]
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => name !== 'NODE_OPTIONS' && !configuration.includes(`\`${name}\``))).toEqual([])
  expect(names.filter((name) => /SECRET|PASSWORD|PRIVATE_KEY|TOKEN|DATABASE_URL/.test(name))).toEqual([])
})

test('every command and option is one of perf-triage, every probe and port one that it has', async () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  for (const { args, ports, startupProbe, livenessProbe, readinessProbe } of containers) {
    const [command, ...options] = args
    const help = (await perfTriage([command!, '--help'])).stdout
    expect(help).toContain(`Usage: perf-triage ${command}`)
    for (const option of options.filter((word) => word.startsWith('--'))) expect(help).toContain(option)
    for (const asked of [startupProbe, livenessProbe, readinessProbe]) {
      if (asked !== undefined) expect([HEALTH_PATH, READY_PATH]).toContain(asked.httpGet.path)
    }
    for (const { name, containerPort } of ports) {
      if (name === 'http') expect(dockerfile).toContain(`EXPOSE ${containerPort}`)
      else expect([name, containerPort]).toEqual(['metrics', 9464])
    }
  }
})

test('what selects pods finds some', () => {
  const labels = documents.flatMap((one) => {
    const found = z
      .looseObject({
        spec: z.looseObject({
          template: z.looseObject({ metadata: z.looseObject({ labels: z.looseObject({ app: z.string() }) }) }),
        }),
      })
      .safeParse(one)
    return found.success ? [JSON.stringify(found.data.spec.template.metadata.labels)] : []
  })
  const selectors = documents
    .filter(({ kind }) => kind === 'Service' || kind === 'PodDisruptionBudget')
    .map((one) => {
      const { selector } = z.looseObject({ spec: z.looseObject({ selector: z.looseObject({}) }) }).parse(one).spec
      return JSON.stringify(selector['matchLabels'] ?? selector)
    })
  expect(selectors.length).toBeGreaterThan(1)
  expect(selectors.filter((selector) => !labels.includes(selector))).toEqual([])
})
