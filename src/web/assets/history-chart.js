// Draws a history so that one can zoom into it and ask each run for its numbers. The picture of the server stays for print,
// and in its place where anything here fails.
import uPlot from 'uplot'

const SANS = '12px system-ui, sans-serif'

/** Where the plot begins and ends, and what is left free within it: as in the charts of the server, which stand below it. */
const LEFT = 0.11
const RIGHT = 0.01
const MARGIN = 0.015

/** A colour of the page's theme. */
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

/** With the digits of the page: `136%`, `4.1%`, `0.04%`. */
function percent(fraction) {
  const size = Math.abs(100 * fraction)
  const digits = size >= 99.95 ? 0 : size === 0 || size >= 0.095 ? 1 : 2
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${(100 * fraction).toLocaleString('en', format).replace('-', '−')}%`
}

const signedPercent = (fraction) => `${fraction > 0 ? '+' : ''}${percent(fraction)}`
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY = 86_400
const minute = (time) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Three digits and no exponent, as the page writes numbers. */
function short(value) {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e12) return value.toExponential(2)
  const rounded = Number(value.toPrecision(3))
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded)) + 1e-9))
  return rounded.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Of times in seconds that lie `gap` apart: months with the year where it begins, days, or hours below their day. */
function timeLabels(times, gap) {
  let last = ''
  return times.map((seconds, index) => {
    const date = new Date(seconds * 1000)
    const month = MONTHS[date.getUTCMonth()]
    if (gap >= 28 * DAY) return date.getUTCMonth() === 0 || index === 0 ? `${month}\n${date.getUTCFullYear()}` : month
    const day = `${month} ${date.getUTCDate()}`
    if (gap >= DAY) return day
    const isNew = day !== last
    last = day
    const time = date.toISOString().slice(11, 16)
    return isNew ? `${time}\n${day}` : time
  })
}

/** What the pull request that the reader comes from has measured; null: there is none. */
function ownOf({ dataset: { own, ownTime, ownLabel, factor, unit } }) {
  if (own === undefined) return null
  const value = Number(own) / Number(factor)
  return { value, at: Number(ownTime) / 1000, label: `${ownLabel}: ${short(value)}${unit === '' ? '' : ` ${unit}`}` }
}

function columnsOf(points, factor, own) {
  const bound = ({ old, threshold }, sign) =>
    threshold === null || !(old > 0) ? null : Math.max(0, old * (1 + sign * threshold)) / factor
  return [
    points.map(({ at }) => at / 1000),
    points.map((point) => bound(point, 1)),
    points.map((point) => bound(point, -1)),
    points.map((point) => point.new / factor),
    ...(own === null ? [] : [points.map(() => own.value)]),
  ]
}

/** A square on its tip at the value of the pull request, at the edge where its time is not shown. */
function ownPlugin({ value, at, label }) {
  const draw = (chart) =>
    clipped(chart, ({ ctx, bbox: { left, width }, scale, across, up }) => {
      const half = 7 * scale
      const x = Math.max(left + half, Math.min(left + width - half, across(at)))
      const y = up(value)
      ctx.beginPath()
      ctx.moveTo(x, y - half)
      ctx.lineTo(x + half, y)
      ctx.lineTo(x, y + half)
      ctx.lineTo(x - half, y)
      ctx.closePath()
      ctx.setLineDash([])
      ctx.lineWidth = 2 * scale
      ctx.strokeStyle = color('page')
      ctx.stroke()
      ctx.fillStyle = color('pull')
      ctx.fill()
      ctx.font = `${12 * scale}px system-ui, sans-serif`
      ctx.textBaseline = 'bottom'
      ctx.textAlign = 'right'
      ctx.lineWidth = 3 * scale
      ctx.fillStyle = color('text')
      ctx.strokeText(label, x - half - 3 * scale, y - 2 * scale)
      ctx.fillText(label, x - half - 3 * scale, y - 2 * scale)
    })
  return { hooks: { draw } }
}

/** The window and the interval of each step behind the points, and its number above them. */
function stepPlugin(steps, factor) {
  const times = steps.map((step) => ({
    ...step,
    window: [step.lastGood, step.firstBad].map(({ time }) => Date.parse(time) / 1000),
    interval: [step.earliest, step.latest].map(({ time }) => Date.parse(time) / 1000),
    back: step.recovered === null ? null : Date.parse(step.recovered.time) / 1000,
    before: step.before / factor,
    after: step.after / factor,
  }))
  return {
    hooks: {
      drawClear: (chart) =>
        clipped(chart, (place) => {
          for (const step of times) drawPanels(place, step)
        }),
      draw: (chart) =>
        clipped(chart, (place) => {
          for (const [index, step] of times.entries()) {
            drawLines(place, step)
            if (index === 0) drawLevel(place, [null, step.window[0]], step.before)
            drawLevel(place, [step.window[1], step.back ?? times[index + 1]?.window[0] ?? null], step.after)
            drawNumber(place, step, index)
          }
        }),
    },
  }
}

/** Draws within the frame of the chart. `across` and `up` are where a time and a value of the scales are. */
function clipped(chart, draw) {
  const { ctx, bbox } = chart
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  draw({
    ctx,
    bbox,
    scale: uPlot.pxRatio,
    across: (time) => chart.valToPos(time, 'x', true),
    up: (value) => chart.valToPos(value, 'y', true),
  })
  ctx.restore()
}

function drawPanels({ ctx, bbox: { top, height }, across }, { window, interval, step }) {
  const fill = (style, [from, to]) => {
    const [left, right] = [across(from), across(to)]
    ctx.fillStyle = style
    ctx.fillRect(left - 1, top, Math.max(right - left, 1) + 2, height)
  }
  fill(color('interval-panel'), interval)
  fill(color(step > 0 ? 'slower-panel' : 'faster-panel'), window)
}

/** Where the step is there for the first time, and dashed where it was back. */
function drawLines({ ctx, bbox: { top, height }, scale, across }, { window, step, back, acceptedIn }) {
  const line = (time, style, dash) => {
    ctx.beginPath()
    ctx.setLineDash(dash.map((length) => length * scale))
    ctx.strokeStyle = style
    ctx.lineWidth = 1.5 * scale
    ctx.moveTo(across(time), top)
    ctx.lineTo(across(time), top + height)
    ctx.stroke()
  }
  line(window[1], color(step > 0 ? 'slower' : 'faster'), acceptedIn ? [1, 4] : [])
  if (back !== null) line(back, color('muted'), [4, 4])
}

/** A level from one time to another; null is the end of the chart. */
function drawLevel({ ctx, bbox: { left, width }, scale, across, up }, [from, to], value) {
  ctx.beginPath()
  ctx.setLineDash([])
  ctx.strokeStyle = color('text')
  ctx.lineWidth = 2.5 * scale
  const y = up(value)
  ctx.moveTo(from === null ? left : across(from), y)
  ctx.lineTo(to === null ? left + width : across(to), y)
  ctx.stroke()
}

/** In one of three rows, so that steps close to each other can be read. */
function drawNumber({ ctx, bbox: { top, left, width }, scale, across }, { window, step, acceptedIn }, index) {
  ctx.font = `${12 * scale}px system-ui, sans-serif`
  ctx.textBaseline = 'top'
  ctx.textAlign = 'left'
  const text = `${index + 1}: ${signedPercent(step)}${acceptedIn ? ', accepted' : ''}`
  const x = Math.min(across(window[1]) + 4 * scale, left + width - ctx.measureText(text).width - 2 * scale)
  const y = top + (2 + (index % 3) * 15) * scale
  ctx.lineWidth = 3 * scale
  ctx.strokeStyle = color('page')
  ctx.fillStyle = color('text')
  ctx.strokeText(text, x, y)
  ctx.fillText(text, x, y)
}

/** Each release at the run of its commit, its tag at the foot. */
function releasePlugin(releases) {
  const draw = (chart) =>
    clipped(chart, ({ ctx, bbox: { top, left, width, height }, scale, across }) => {
      ctx.font = `${12 * scale}px system-ui, sans-serif`
      ctx.textBaseline = 'bottom'
      ctx.textAlign = 'left'
      let end = Number.NEGATIVE_INFINITY
      for (const { tag, time } of releases) {
        const x = across(Date.parse(time) / 1000)
        ctx.beginPath()
        ctx.setLineDash([6 * scale, 3 * scale])
        ctx.strokeStyle = color('link')
        ctx.lineWidth = scale
        ctx.moveTo(x, top)
        ctx.lineTo(x, top + height)
        ctx.stroke()
        ctx.setLineDash([])
        const text = tag.slice(0, 14)
        const from = Math.min(x + 4 * scale, left + width - ctx.measureText(text).width - 2 * scale)
        if (from < end) continue
        end = from + ctx.measureText(text).width + 6 * scale
        ctx.lineWidth = 3 * scale
        ctx.strokeStyle = color('page')
        ctx.fillStyle = color('text')
        ctx.strokeText(text, from, top + height - 3 * scale)
        ctx.fillText(text, from, top + height - 3 * scale)
      }
    })
  return { hooks: { draw } }
}

/** Leaves the time of the first drawing where a browser keeps such: last in the list, so that all of it is in. */
function firstDraw(start) {
  let isFirst = true
  const draw = () => {
    if (isFirst) performance.measure('history-chart', { start })
    isFirst = false
  }
  return { hooks: { draw } }
}

function optionsOf(frame, { history, points, own, width, say }) {
  const factor = Number(frame.dataset.factor)
  const unit = frame.dataset.unit
  const axis = {
    stroke: () => color('muted'),
    font: SANS,
    grid: { stroke: () => color('line'), width: 1 },
    ticks: { stroke: () => color('line') },
  }
  const none = { show: false }
  return {
    width,
    height: 330,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: none,
    cursor: { drag: { x: true, y: true, uni: 40 }, focus: { prox: 30 }, points: { size: 9 } },
    scales: { x: { time: true, range: rangeOf(points) } },
    axes: [
      { ...axis, space: 60, values: (_, splits, _axis, _space, gap) => timeLabels(splits, gap) },
      { ...axis, size: ({ width: all }) => LEFT * all, gap: 2, values: (_, splits) => splits.map(short) },
    ],
    padding: [18, ({ width: all }) => RIGHT * all, null, 0],
    bands: [{ series: [1, 2], fill: () => color('noise') }],
    series: [
      {},
      { points: none, stroke: () => color('line'), width: 1 },
      { points: none, stroke: () => color('line'), width: 1 },
      {
        paths: () => null,
        points: { show: true, size: points.length > 1000 ? 3 : 5, width: 0, fill: () => color('link') },
      },
      ...(own === null ? [] : [{ points: none, stroke: () => color('pull'), width: 1.5, dash: [2, 4] }]),
    ],
    plugins: [
      releasePlugin(history.releases),
      stepPlugin(history.steps, factor),
      ...(own === null ? [] : [ownPlugin(own)]),
      ...(unit === '' ? [] : [unitPlugin(unit)]),
    ],
    hooks: {
      setCursor: [(chart) => say(chart.cursor.idx)],
      // What is shown, in seconds, can be read from the page.
      setScale: [(chart) => Object.assign(chart.root.parentElement?.dataset ?? {}, shownTimes(chart))],
    },
  }
}

/** The whole time reaches as far beyond the first and the last run as in the charts of the server. */
function rangeOf(points) {
  const [first, last] = [points[0].at / 1000, points.at(-1).at / 1000]
  const pad = first === last ? DAY / 2 : (last - first) * MARGIN
  return (_chart, from, to) => (from <= first && to >= last ? [first - pad, last + pad] : [from, to])
}

/** Above the values, as on the charts of the server. */
function unitPlugin(text) {
  const draw = ({ ctx, bbox: { top } }) => {
    const scale = devicePixelRatio
    ctx.font = `${12 * scale}px system-ui, sans-serif`
    ctx.textAlign = 'left'
    ctx.textBaseline = 'bottom'
    ctx.fillStyle = color('muted')
    ctx.fillText(`${text} ↑`, 0, top - 4 * scale)
  }
  return { hooks: { draw } }
}

function shownTimes({ scales: { x } }) {
  return { from: x.min, to: x.max }
}

/** Says the numbers of the run under the cursor. */
function readout(frame, points) {
  const factor = Number(frame.dataset.factor)
  const unit = frame.dataset.unit
  const element = document.createElement('p')
  element.className = 'readout'
  element.setAttribute('aria-live', 'polite')
  const hint = 'Point at a run for its numbers, drag to zoom; with the keyboard: arrow keys, + and -, 0 for all.'
  element.textContent = hint
  const commit = document.createElement('a')
  commit.rel = 'nofollow noopener'
  const say = (index) => {
    const point = index === null || index === undefined ? undefined : points[index]
    if (point === undefined) {
      element.textContent = hint
      return
    }
    const isLinked = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(point.commit)
    const name = isLinked ? commit : document.createElement('bdi')
    name.textContent = isLinked ? point.commit.slice(0, 10) : point.commit.slice(0, 40)
    if (isLinked) commit.href = frame.dataset.commits + point.commit
    const threshold = point.threshold === null ? 'noise unknown' : `noise ±${percent(point.threshold)}`
    const change = `${short(point.old / factor)} → ${short(point.new / factor)}${unit === '' ? '' : ` ${unit}`}`
    element.replaceChildren(
      `${minute(point.at)}, `,
      name,
      `: ${change}, ${signedPercent(point.difference)}, ${threshold}`,
    )
  }
  return { element, say }
}

function button(text, act) {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = text
  element.addEventListener('click', act)
  return element
}

async function show(frame) {
  const answer = await fetch(frame.dataset.history)
  if (!answer.ok) return
  const [history] = (await answer.json()).histories
  if (history === undefined) return
  const points = history.points
    .filter((point) => point.new > 0)
    .map((point) => ({ ...point, at: Date.parse(point.time) }))
  if (points.length === 0) return
  const { element: said, say } = readout(frame, points)
  const place = placeOfPlot(frame)
  frame.prepend(place, said)
  const width = () => Math.max(200, place.clientWidth)
  const own = ownOf(frame)
  const options = optionsOf(frame, { history, points, own, width: width(), say })
  const columns = columnsOf(points, Number(frame.dataset.factor), own)
  options.plugins.push(firstDraw(performance.now()))
  const chart = new uPlot(options, columns, place)
  frame.classList.add('live')

  const { zoom, whole, keys } = movesOf(chart, columns, say)
  place.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  const tools = document.createElement('div')
  tools.className = 'tools'
  tools.append(
    button('Zoom in', () => zoom(0.5)),
    button('Zoom out', () => zoom(2)),
    button('Whole period', whole),
  )
  said.after(tools)
  new ResizeObserver(() => {
    if (width() !== chart.width) chart.setSize({ width: width(), height: chart.height })
  }).observe(place)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => chart.redraw(false))
}

function placeOfPlot(frame) {
  const place = document.createElement('div')
  place.className = 'plot'
  place.tabIndex = 0
  place.setAttribute('role', 'application')
  place.setAttribute('aria-label', frame.dataset.title)
  place.setAttribute('aria-describedby', 'history-words')
  return place
}

/** Zooms around the run under the cursor and goes from run to run, with buttons and with keys. */
function movesOf(chart, columns, say) {
  const [times, values] = [columns[0], columns[3]]
  const whole = () => chart.setData(columns)
  const zoom = (by) => {
    const { min, max } = chart.scales.x
    const at = chart.cursor.idx
    const middle = typeof at === 'number' ? times[at] : (min + max) / 2
    const half = ((max - min) * by) / 2
    const [from, to] = [Math.max(times[0], middle - half), Math.min(times.at(-1), middle + half)]
    if (to - from > 1) chart.setScale('x', { min: from, max: to })
  }
  let current = times.length
  const move = (to) => {
    const index = Math.max(0, Math.min(times.length - 1, to))
    const at = times[index]
    const { min, max } = chart.scales.x
    if (at < min || at > max) {
      const half = (max - min) / 2
      chart.setScale('x', { min: at - half, max: at + half })
    }
    chart.setCursor({ left: chart.valToPos(at, 'x'), top: chart.valToPos(values[index], 'y') })
    say(index)
    current = index
  }
  const keys = {
    ArrowLeft: () => move(current - 1),
    ArrowRight: () => move(current + 1),
    Home: () => move(0),
    End: () => move(times.length - 1),
    '+': () => zoom(0.5),
    '-': () => zoom(2),
    0: whole,
    Escape: whole,
  }
  return { zoom, whole, keys }
}

for (const frame of document.querySelectorAll('[data-history]')) {
  show(frame).catch(() => frame.querySelector('.plot')?.remove())
}
