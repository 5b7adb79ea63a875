import type { DashboardLink } from '../../config/repository-config.ts'
import { codeSpan, link, NAME_LIMIT } from '../../text/markdown.ts'
import { fillTemplate, placeholdersOf } from '../../text/url-template.ts'
import { decisive } from '../parts.ts'
import type { ReportRow } from '../report.ts'
import type { View } from './view.ts'

/** Placeholders that only a row can fill; a dashboard with one of them is linked from each row. */
const OF_A_ROW: ReadonlySet<string> = new Set(['test', 'query', 'architecture'])

/** Dashboards about the head as a whole, as Markdown links. */
export function dashboardsOfHead(view: View): string[] {
  return view.links.dashboards
    .filter((dashboard) => !isOfRow(dashboard))
    .map((dashboard) => linkTo(dashboard, headValues(view)))
}

/** Dashboards about one query; one that needs what the row does not have is left out. */
export function dashboardsOfRow(view: View, row: ReportRow): string[] {
  const { architecture } = decisive(row)
  const values: Record<string, string> = { ...headValues(view), test: row.test }
  if (row.queryIndex !== null) values['query'] = String(row.queryIndex)
  if (architecture !== null) values['architecture'] = architecture
  return view.links.dashboards
    .filter((dashboard) => isOfRow(dashboard) && placeholdersOf(dashboard.url).every((name) => name in values))
    .map((dashboard) => linkTo(dashboard, values))
}

function isOfRow({ url }: DashboardLink): boolean {
  return placeholdersOf(url).some((name) => OF_A_ROW.has(name))
}

function headValues({ report }: View): Record<string, string> {
  return { pr: String(report.pullRequest.number), sha: report.head }
}

function linkTo({ title, url }: DashboardLink, values: Readonly<Record<string, string>>): string {
  return link(codeSpan(title, NAME_LIMIT), fillTemplate(url, values))
}
