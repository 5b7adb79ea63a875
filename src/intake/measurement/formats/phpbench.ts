import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** What PHPBench writes by `--dump-file`: of each variant the iterations. */
export const phpbench: Format = {
  name: 'phpbench',
  companion: false,
  looksFor: 'the *.xml of PHPBench (--dump-file)',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.xml$/i.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => /^\s*(?:<\?xml[^>]{0,200}>\s*)?<phpbench[\s>]/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { phpbenchDump } = await import('./phpbench-dump.ts')
    return jsonReader((text) => phpbenchDump(text, context))
  },
}
