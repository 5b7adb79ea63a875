import { z } from 'zod'
import { inFolder, type Measuring, type Place, quoted, yamlText } from './place.ts'

/** vitest bench, with the package manager whose lock file is there. */

const packageSchema = z.object({
  dependencies: z.record(z.string(), z.unknown()).default({}),
  devDependencies: z.record(z.string(), z.unknown()).default({}),
  engines: z.object({ node: z.string().optional() }).default({}),
  packageManager: z.string().optional(),
})

type Package = z.infer<typeof packageSchema>

export async function vitestTool(place: Place): Promise<Measuring | null> {
  const { manifest, folder, below, read } = place
  const about = packageOf(await read(manifest))
  if (about === null || !('vitest' in about.dependencies || 'vitest' in about.devDependencies)) return null
  if (!below.some((path) => /\.(?:bench|benchmark)\.[cm]?[jt]sx?$/.test(path))) return null
  const steps = ['- uses: actions/setup-node@v7', `  with: { ${nodeVersion(about, place)} }`]
  return { measure: [...inFolder(folder), '--vitest', ...install(about, place)], steps }
}

function packageOf(text: string): Package | null {
  try {
    return packageSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

function nodeVersion({ engines }: Package, { manifest, paths }: Place): string {
  const file = ['.nvmrc', '.node-version'].find((name) => paths.includes(name))
  if (file !== undefined) return `node-version-file: ${file}`
  return engines.node === undefined ? 'node-version: 24' : `node-version-file: ${yamlText(manifest)}`
}

/** `--build`, unless `npm ci` will do. */
function install({ packageManager = '' }: Package, { folder, paths }: Place): readonly string[] {
  const has = (name: string) => paths.includes(name) || paths.includes(`${folder}${name}`)
  if (has('pnpm-lock.yaml')) return [`--build ${quoted('npx --yes pnpm install --frozen-lockfile')}`]
  if (has('yarn.lock')) {
    const isOne = !/^yarn@[2-9]/.test(packageManager)
    return [
      `--build ${quoted(isOne ? 'npx --yes yarn@1 install --frozen-lockfile' : 'corepack yarn install --immutable')}`,
    ]
  }
  return has('package-lock.json') || has('npm-shrinkwrap.json') ? [] : [`--build ${quoted('npm install')}`]
}
