import { type PagesOptions, pages } from '../../src/web/pages.ts'
import { type RunningServer, startServer } from '../../src/web/server.ts'
import { recordingLog } from './recording-log.ts'

/** The pages at a free port of this machine, for a browser. Close it when done. */
export async function servedPages(
  options: Pick<PagesOptions, 'store'> & Partial<PagesOptions>,
): Promise<RunningServer> {
  const log = recordingLog()
  return await startServer({
    host: '127.0.0.1',
    port: 0,
    webhook: null,
    pages: pages({ publicUrl: 'http://localhost', version: '1.2.3', log, ...options }),
    readiness: [],
    log,
  })
}
