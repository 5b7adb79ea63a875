import { filesWith, inFolder, type Measuring, type Place, quoted } from './place.ts'

/** JMH in a jar of its own, as its archetype makes it. */
export async function jmhTool(place: Place): Promise<Measuring | null> {
  const { manifest, folder, paths, below, read } = place
  const pom = await read(manifest)
  const sources = below.filter((path) => path.endsWith('.java'))
  if (!/<artifactId>\s*jmh-core\s*</.test(pom)) return null
  if ((await filesWith(/@Benchmark\b/, sources, read, 1)).length === 0) return null
  const isModule = folder !== '' && paths.includes('pom.xml') && /<parent>/.test(pom)
  const jar = `${isModule ? folder : ''}target/${nameOfJar(pom)}.jar`
  const isPaced = (await filesWith(/@(?:Measurement|Warmup)\b/, sources, read, 1)).length > 0
  const run = `${jar}${isPaced ? '' : SHORT}`
  const jmh = run === 'target/benchmarks.jar' ? '--jmh' : `--jmh ${quoted(run)}`
  const measure = [...(isModule ? [] : inFolder(folder)), jmh, ...build(isModule, place)]
  return { measure, steps: steps(pom) }
}

/** A turn is one repetition, and more forks say more than longer ones: JMH’s own default takes 100 s a benchmark. */
const SHORT = ' -wi 3 -w 300ms -i 3 -r 300ms'

function nameOfJar(pom: string): string {
  const given = /<finalName>\s*([^<]+?)\s*<\/finalName>/.exec(pom)?.[1] ?? 'benchmarks'
  return given.replaceAll(/\$\{([\w.]+)\}/g, (whole, name: string) => propertyOf(pom, name) ?? whole)
}

function propertyOf(pom: string, name: string): string | null {
  return new RegExp(`<${name.replaceAll('.', String.raw`\.`)}>\\s*([^<$]+?)\\s*</`).exec(pom)?.[1] ?? null
}

/** `--build`, unless `mvn package` in the folder will do. */
function build(isModule: boolean, { folder, paths }: Place): readonly string[] {
  const hasWrapper = paths.includes(isModule ? 'mvnw' : `${folder}mvnw`)
  if (!hasWrapper && !isModule) return []
  const module = isModule ? ` -pl ${folder.replace(/\/$/, '')} -am` : ''
  return [`--build ${quoted(`${hasWrapper ? './mvnw' : 'mvn'} -q -DskipTests${module} package`)}`]
}

/** The Java that the project is compiled for, from 17 on. */
function steps(pom: string): readonly string[] {
  const asked = ['maven.compiler.release', 'maven.compiler.target', 'java.version', 'javac.target']
    .map((name) => Number(propertyOf(pom, name)))
    .find((version) => version >= 17)
  return [
    '- uses: actions/setup-java@v6',
    `  with: { distribution: temurin, java-version: ${asked ?? 21}, cache: maven }`,
  ]
}
