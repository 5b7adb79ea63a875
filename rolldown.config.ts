import { readFileSync } from 'node:fs'
import type { Plugin, RolldownOptions } from 'rolldown'
import { readSql } from './src/store/sql-file.ts'

/** `npm run build:action`: the Action as one file that needs nothing but Node. */

const READERS = { readFileSync: (file: URL) => readFileSync(file, 'utf8'), readSql }

const READ_BESIDE = /\b(readFileSync|readSql)\(new URL\('([^']+)', import\.meta\.url\)(?:, 'utf8')?\)/g

/** What the code reads beside itself is in the bundle. */
const inlineFiles: Plugin = {
  name: 'inline-files',
  transform: {
    filter: { code: READ_BESIDE },
    handler: (code, id) => ({
      code: code.replaceAll(READ_BESIDE, (_, reader: keyof typeof READERS, name: string) =>
        JSON.stringify(READERS[reader](new URL(name, `file://${id}`))),
      ),
    }),
  },
}

export default {
  input: 'src/action.ts',
  platform: 'node',
  plugins: [inlineFiles],
  output: { file: 'action/index.mjs', codeSplitting: false, comments: false },
} satisfies RolldownOptions
