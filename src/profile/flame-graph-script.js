// Zoom, search, keyboard, icicle switch and a line about one frame, in the SVG file of a flame graph or in a page that holds
// one. Reads everything from the drawing; without it the drawing is complete.
;(() => {
  const SVG = 'http://www.w3.org/2000/svg'
  const HTML = 'http://www.w3.org/1999/xhtml'
  // the numbers of flame-graph.ts
  const DRAWN = 1180
  const MARGIN = 10
  const ROW = 18
  const CHARACTER = 6.7
  const LABEL_MARGIN = 4
  const NARROWEST_WINDOW = 720

  const file = document.documentElement
  const isFile = file.localName === 'svg'
  const svg = isFile ? file : document.querySelector('svg.flame-graph')
  if (svg === null) return
  const detail = svg.querySelector('.detail')
  const top = Number(svg.dataset.top)
  const levels = Number(svg.dataset.levels)
  const sums = { old: Number(svg.dataset.old), new: Number(svg.dataset.new) }
  let icicle = svg.dataset.icicle === 'true'
  let width = svg.viewBox.baseVal.width

  const frames = [...svg.querySelectorAll('.f')].map((group) => {
    const [name, shares] = group.firstChild.textContent.split('\n')
    const rect = group.querySelector('rect')
    const left = (rect.x.baseVal.value - MARGIN) / DRAWN
    const sign = /\bmore/.test(group.getAttribute('class'))
      ? '+ '
      : /\bless/.test(group.getAttribute('class'))
        ? '\u2212 '
        : ''
    return {
      group,
      rect,
      text: group.querySelector('text'),
      name,
      shares,
      label: sign + name,
      level: Number(group.dataset.l),
      old: Number(group.dataset.o),
      new: Number(group.dataset.n),
      left,
      right: left + rect.width.baseVal.value / DRAWN,
    }
  })
  if (frames.length === 0) return
  const byGroup = new Map(frames.map((frame) => [frame.group, frame]))
  const root = frames[0]
  // a thousandth of a pixel is what positions are rounded to
  const SLACK = 2e-6
  const inside = (frame, outer) =>
    frame.level >= outer.level && frame.left >= outer.left - SLACK && frame.right <= outer.right + SLACK
  const parents = new Map()
  const byLevel = new Map()
  for (const frame of frames) {
    const below = byLevel.get(frame.level - 1) ?? []
    // frames of a level stand from left to right
    let low = 0
    let high = below.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (below[middle].left <= frame.left + SLACK) low = middle
      else high = middle - 1
    }
    parents.set(frame, below[low] ?? null)
    if (!byLevel.has(frame.level)) byLevel.set(frame.level, [])
    byLevel.get(frame.level).push(frame)
  }

  let zoomed = root
  let current = root

  function draw() {
    const scale = (width - 2 * MARGIN) / (zoomed.right - zoomed.left)
    for (const frame of frames) {
      const around = frame.level < zoomed.level && inside(zoomed, frame)
      const shown = around || inside(frame, zoomed)
      frame.group.style.display = shown ? '' : 'none'
      frame.group.classList.toggle('around', around)
      if (!shown) continue
      const x = around ? MARGIN : MARGIN + (frame.left - zoomed.left) * scale
      const pixels = around ? width - 2 * MARGIN : (frame.right - frame.left) * scale
      const y = top + (icicle ? frame.level : levels - 1 - frame.level) * ROW
      frame.rect.setAttribute('x', x.toFixed(3))
      frame.rect.setAttribute('y', y)
      frame.rect.setAttribute('width', Math.max(0, pixels).toFixed(3))
      write(frame, x, y, pixels)
    }
  }

  function write(frame, x, y, pixels) {
    const most = Math.floor((pixels - 2 * LABEL_MARGIN) / CHARACTER)
    if (most < 3) {
      frame.text?.remove()
      frame.text = null
      return
    }
    if (frame.text === null) {
      frame.text = document.createElementNS(SVG, 'text')
      frame.group.append(frame.text)
    }
    frame.text.setAttribute('x', (x + LABEL_MARGIN).toFixed(1))
    frame.text.setAttribute('y', y + 12)
    frame.text.textContent =
      frame.label.length <= most
        ? frame.label
        : `${frame.label.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}\u2026`
  }

  function resize() {
    width = Math.max(NARROWEST_WINDOW, isFile ? window.innerWidth : svg.parentElement.clientWidth)
    const height = svg.viewBox.baseVal.height
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
    svg.setAttribute('width', width)
    controls.setAttribute('x', width - MARGIN - controls.width.baseVal.value)
    draw()
    follow()
  }

  /** The line about a frame stays at the foot of the window, over the graph where that is higher. */
  function follow() {
    const above = isFile ? -window.scrollY : svg.getBoundingClientRect().top
    const foot = Math.min(svg.viewBox.baseVal.height, window.innerHeight - above)
    detail.setAttribute('y', foot - 10)
    under.setAttribute('y', foot - 26)
    under.setAttribute('width', width)
  }

  function say(frame) {
    detail.textContent = frame === null ? hint : `${frame.name}: ${frame.shares}`
  }

  function zoom(frame) {
    zoomed = frame
    reset.disabled = frame === root
    draw()
    say(frame)
  }

  function focus(frame) {
    if (frame === null || frame === undefined) return
    current.group.setAttribute('tabindex', '-1')
    current = frame
    frame.group.setAttribute('tabindex', '0')
    frame.group.focus()
    frame.group.scrollIntoView({ block: 'nearest' })
    say(frame)
  }

  function neighbour(frame, step) {
    const level = byLevel.get(frame.level)
    for (let i = level.indexOf(frame) + step; i >= 0 && i < level.length; i += step) {
      if (level[i].group.style.display !== 'none') return level[i]
    }
    return null
  }

  const childOf = (frame) =>
    (byLevel.get(frame.level + 1) ?? [])
      .filter((other) => parents.get(other) === frame && other.group.style.display !== 'none')
      .sort((a, b) => b.right - b.left - (a.right - a.left))[0]

  const percent = (part, sum) => (sum > 0 ? `${((100 * part) / sum).toFixed(1)}\u00a0%` : 'empty')

  /** Marks what matches and says its share; a match inside a match counts once. */
  function search(words) {
    let pattern = null
    try {
      pattern = words === '' ? null : new RegExp(words, 'i')
    } catch {
      pattern = new RegExp(words.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'), 'i')
    }
    const found = new Set()
    const shares = { old: 0, new: 0 }
    let count = 0
    for (const frame of frames) {
      const matches = pattern !== null && frame !== root && pattern.test(frame.name)
      frame.group.classList.toggle('found', matches)
      const counted = found.has(parents.get(frame))
      if (matches) count += 1
      if (matches && !counted) {
        shares.old += frame.old
        shares.new += frame.new
      }
      if (matches || counted) found.add(frame)
    }
    result.textContent =
      pattern === null ? '' : `${count} found: ${percent(shares.old, sums.old)} \u2192 ${percent(shares.new, sums.new)}`
  }

  const under = document.createElementNS(SVG, 'rect')
  under.setAttribute('class', 'under')
  under.setAttribute('height', 26)
  detail.before(under)

  const element = (name, properties) => Object.assign(document.createElementNS(HTML, name), properties)
  const controls = document.createElementNS(SVG, 'foreignObject')
  controls.setAttribute('y', 4)
  controls.setAttribute('width', 560)
  controls.setAttribute('height', 28)
  const bar = element('div', { className: 'controls' })
  const result = element('output', {})
  const input = element('input', { type: 'search', placeholder: 'Search (/)' })
  input.setAttribute('aria-label', 'Search frames by name, also with a regular expression')
  const flip = element('button', { type: 'button', textContent: icicle ? 'Flames' : 'Icicles' })
  const reset = element('button', { type: 'button', textContent: 'Reset zoom', disabled: true })
  bar.append(result, input, flip, reset)
  controls.append(bar)
  svg.append(controls)
  const hint = 'Click a frame or press Enter to zoom, Escape to go back, arrows to move, / to search.'

  input.addEventListener('input', () => search(input.value))
  reset.addEventListener('click', () => zoom(root))
  flip.addEventListener('click', () => {
    icicle = !icicle
    flip.textContent = icicle ? 'Flames' : 'Icicles'
    draw()
  })
  const frameAt = (event) => byGroup.get(event.target.closest?.('.f')) ?? null
  svg.addEventListener('click', (event) => {
    const frame = frameAt(event)
    if (frame === null) return
    focus(frame)
    zoom(frame)
  })
  svg.addEventListener('mouseover', (event) => {
    const frame = frameAt(event)
    if (frame !== null) say(frame)
  })
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target === input) {
      if (event.key !== 'Escape') return
      input.value = ''
      search('')
      focus(current)
      return
    }
    if (event.key === '/') input.focus()
    else if (event.key === 'Escape') zoom(root)
    else if (event.target.closest?.('.f') === null || event.target.closest?.('.f') === undefined) return
    else if (event.key === 'Enter' || event.key === ' ') zoom(current)
    else if (event.key === (icicle ? 'ArrowDown' : 'ArrowUp')) focus(childOf(current))
    else if (event.key === (icicle ? 'ArrowUp' : 'ArrowDown')) focus(parents.get(current))
    else if (event.key === 'ArrowRight') focus(neighbour(current, 1))
    else if (event.key === 'ArrowLeft') focus(neighbour(current, -1))
    else return
    event.preventDefault()
  })
  for (const { group } of frames) {
    group.setAttribute('role', 'button')
    group.setAttribute('tabindex', '-1')
  }
  root.group.setAttribute('tabindex', '0')
  window.addEventListener('resize', resize)
  window.addEventListener('scroll', follow, { passive: true })
  say(null)
  resize()
})()
