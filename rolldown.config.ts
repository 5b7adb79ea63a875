import { readFile } from 'node:fs/promises'
import type { Plugin, RolldownOptions } from 'rolldown'

/** `npm run build:action`: the Action as one file that needs nothing but Node. */

const READ_BESIDE = /readFileSync\(new URL\('([^']+)', import\.meta\.url\), 'utf8'\)/g

/** What the code reads beside itself is in the bundle. */
const inlineFiles: Plugin = {
  name: 'inline-files',
  transform: {
    filter: { code: /readFileSync\(new URL\(/ },
    async handler(code, id) {
      const names = [...code.matchAll(READ_BESIDE)].map(([, name]) => name!)
      const texts = await Promise.all(names.map((name) => readFile(new URL(name, `file://${id}`), 'utf8')))
      return { code: code.replaceAll(READ_BESIDE, () => JSON.stringify(texts.shift())) }
    },
  },
}

export default {
  input: 'src/action.ts',
  platform: 'node',
  plugins: [inlineFiles],
  output: { file: 'action/index.mjs', codeSplitting: false, comments: false },
} satisfies RolldownOptions
