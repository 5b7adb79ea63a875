import { measureJob } from './cli/action/measure-job.ts'

/** The entry of the Action: what it does follows from the event that its workflow runs on. */

process.exitCode = await measureJob({ stdout: process.stdout, stderr: process.stderr, env: process.env })
