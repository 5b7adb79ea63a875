// Zoom, search, keyboard, icicle switch and a line about one frame, in the SVG file of a flame graph or in a page that holds
// one. Reads everything from the drawing; without it the drawing is complete.

// The script of an SVG file shares its names with the window, which has `frames` and `top`: the block keeps them apart.
{
  const SVG = 'http://www.w3.org/2000/svg'
  const HTML = 'http://www.w3.org/1999/xhtml'
  // the numbers of flame-graph.ts
  const DRAWN = 1180
  const MARGIN = 10
  const ROW = 18
  const CHARACTER = 6.7
  const LABEL_MARGIN = 4
  const NARROWEST_WINDOW = 720
  // a thousandth of a pixel is what positions are rounded to
  const SLACK = 2e-6
  const HINT = 'Click a frame or press Enter to zoom, Escape to go back, arrows to move, / to search.'

  const isFile = document.documentElement.localName === 'svg'

  class FlameGraph {
    constructor(svg, frames) {
      this.svg = svg
      this.frames = frames
      this.root = frames[0]
      this.zoomed = this.root
      this.current = this.root
      this.byGroup = new Map(frames.map((frame) => [frame.group, frame]))
      Object.assign(this, familyOf(frames))
      this.top = Number(svg.dataset.top)
      this.levels = Number(svg.dataset.levels)
      this.sums = { old: Number(svg.dataset.old), new: Number(svg.dataset.new) }
      this.icicle = svg.dataset.icicle === 'true'
      this.width = svg.viewBox.baseVal.width
      this.detail = svg.querySelector('.detail')
      this.under = underDetail(this.detail)
      this.controls = controlsOf(svg, this.icicle)
    }

    start() {
      this.listen()
      this.markButtons()
      this.say(null)
      this.resize()
    }

    draw() {
      const { frames, zoomed, width } = this
      const scale = (width - 2 * MARGIN) / (zoomed.right - zoomed.left)
      for (const frame of frames) {
        const around = frame.level < zoomed.level && isInside(zoomed, frame)
        const shown = around || isInside(frame, zoomed)
        frame.group.style.display = shown ? '' : 'none'
        frame.group.classList.toggle('around', around)
        if (!shown) continue
        const x = around ? MARGIN : MARGIN + (frame.left - zoomed.left) * scale
        const pixels = around ? width - 2 * MARGIN : (frame.right - frame.left) * scale
        const y = this.top + (this.icicle ? frame.level : this.levels - 1 - frame.level) * ROW
        frame.rect.setAttribute('x', x.toFixed(3))
        frame.rect.setAttribute('y', y)
        frame.rect.setAttribute('width', Math.max(0, pixels).toFixed(3))
        writeLabel(frame, x, y, pixels)
      }
    }

    resize() {
      const { svg, controls } = this
      this.width = Math.max(NARROWEST_WINDOW, isFile ? window.innerWidth : svg.parentElement.clientWidth)
      svg.setAttribute('viewBox', `0 0 ${this.width} ${svg.viewBox.baseVal.height}`)
      svg.setAttribute('width', this.width)
      controls.place.setAttribute('x', this.width - MARGIN - controls.place.width.baseVal.value)
      this.draw()
      this.follow()
    }

    /** The line about a frame stays at the foot of the window, over the graph where that is higher. */
    follow() {
      const above = isFile ? -window.scrollY : this.svg.getBoundingClientRect().top
      const foot = Math.min(this.svg.viewBox.baseVal.height, window.innerHeight - above)
      this.detail.setAttribute('y', foot - 10)
      this.under.setAttribute('y', foot - 26)
      this.under.setAttribute('width', this.width)
    }

    say(frame) {
      this.detail.textContent = frame === null ? HINT : `${frame.name}: ${frame.shares}`
    }

    zoom(frame) {
      this.zoomed = frame
      this.controls.reset.disabled = frame === this.root
      this.draw()
      this.say(frame)
    }

    turn() {
      this.icicle = !this.icicle
      this.controls.flip.textContent = this.icicle ? 'Flames' : 'Icicles'
      this.draw()
    }

    focus(frame) {
      if (frame === null || frame === undefined) return
      this.current.group.setAttribute('tabindex', '-1')
      this.current = frame
      frame.group.setAttribute('tabindex', '0')
      frame.group.focus()
      frame.group.scrollIntoView({ block: 'nearest' })
      this.say(frame)
    }

    neighbour(frame, step) {
      const level = this.byLevel.get(frame.level)
      for (let i = level.indexOf(frame) + step; i >= 0 && i < level.length; i += step) {
        if (level[i].group.style.display !== 'none') return level[i]
      }
      return null
    }

    childOf(frame) {
      return (this.byLevel.get(frame.level + 1) ?? [])
        .filter((other) => this.parents.get(other) === frame && other.group.style.display !== 'none')
        .sort((a, b) => b.right - b.left - (a.right - a.left))[0]
    }

    /** Marks what matches and says its share; a match inside a match counts once. */
    search(words) {
      const { frames, root, parents, sums } = this
      const pattern = patternOf(words)
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
      this.controls.result.textContent =
        pattern === null
          ? ''
          : `${count} found: ${percent(shares.old, sums.old)} \u2192 ${percent(shares.new, sums.new)}`
    }

    listen() {
      const { svg, controls } = this
      const frameAt = (event) => this.byGroup.get(event.target.closest?.('.f')) ?? null
      controls.input.addEventListener('input', () => this.search(controls.input.value))
      controls.reset.addEventListener('click', () => this.zoom(this.root))
      controls.flip.addEventListener('click', () => this.turn())
      svg.addEventListener('click', (event) => {
        const frame = frameAt(event)
        if (frame === null) return
        this.focus(frame)
        this.zoom(frame)
      })
      svg.addEventListener('mouseover', (event) => {
        const frame = frameAt(event)
        if (frame !== null) this.say(frame)
      })
      document.addEventListener('keydown', (event) => this.press(event))
      window.addEventListener('resize', () => this.resize())
      window.addEventListener('scroll', () => this.follow(), { passive: true })
    }

    press(event) {
      const { current, controls, icicle } = this
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target === controls.input) {
        if (event.key === 'Escape') this.leaveSearch()
        return
      }
      const onFrame = event.target.closest?.('.f') ?? null
      if (event.key === '/') controls.input.focus()
      else if (event.key === 'Escape') this.zoom(this.root)
      else if (onFrame === null) return
      else if (event.key === 'Enter' || event.key === ' ') this.zoom(current)
      else if (event.key === (icicle ? 'ArrowDown' : 'ArrowUp')) this.focus(this.childOf(current))
      else if (event.key === (icicle ? 'ArrowUp' : 'ArrowDown')) this.focus(this.parents.get(current))
      else if (event.key === 'ArrowRight') this.focus(this.neighbour(current, 1))
      else if (event.key === 'ArrowLeft') this.focus(this.neighbour(current, -1))
      else return
      event.preventDefault()
    }

    leaveSearch() {
      this.controls.input.value = ''
      this.search('')
      this.focus(this.current)
    }

    markButtons() {
      for (const { group } of this.frames) {
        group.setAttribute('role', 'button')
        group.setAttribute('tabindex', '-1')
      }
      this.root.group.setAttribute('tabindex', '0')
    }
  }

  function readFrame(group) {
    const [name, shares] = group.firstChild.textContent.split('\n')
    const rect = group.querySelector('rect')
    const left = (rect.x.baseVal.value - MARGIN) / DRAWN
    return {
      group,
      rect,
      text: group.querySelector('text'),
      name,
      shares,
      label: signOf(group.getAttribute('class')) + name,
      level: Number(group.dataset.l),
      old: amountOf('old', shares),
      new: amountOf('new', shares),
      left,
      right: left + rect.width.baseVal.value / DRAWN,
    }
  }

  /** Of a side in the words of its shares: `old 31.0% (3,104 samples)`. */
  function amountOf(side, shares) {
    const amount = new RegExp(`\\b${side} [^(]*\\(([\\d.,]+) `).exec(shares)?.[1] ?? '0'
    return Number(amount.replaceAll(',', ''))
  }

  function signOf(classes) {
    if (/\bmore/.test(classes)) return '+ '
    return /\bless/.test(classes) ? '\u2212 ' : ''
  }

  function isInside(frame, outer) {
    return frame.level >= outer.level && frame.left >= outer.left - SLACK && frame.right <= outer.right + SLACK
  }

  function familyOf(frames) {
    const parents = new Map()
    const byLevel = new Map()
    for (const frame of frames) {
      parents.set(frame, frameBelow(byLevel.get(frame.level - 1) ?? [], frame))
      if (!byLevel.has(frame.level)) byLevel.set(frame.level, [])
      byLevel.get(frame.level).push(frame)
    }
    return { parents, byLevel }
  }

  function frameBelow(below, frame) {
    // frames of a level stand from left to right
    let low = 0
    let high = below.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (below[middle].left <= frame.left + SLACK) low = middle
      else high = middle - 1
    }
    return below[low] ?? null
  }

  function writeLabel(frame, x, y, pixels) {
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

  function patternOf(words) {
    if (words === '') return null
    try {
      return new RegExp(words, 'i')
    } catch {
      return new RegExp(words.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'), 'i')
    }
  }

  function percent(part, sum) {
    return sum > 0 ? `${((100 * part) / sum).toFixed(1)}%` : 'empty'
  }

  function underDetail(detail) {
    const under = document.createElementNS(SVG, 'rect')
    under.setAttribute('class', 'under')
    under.setAttribute('height', 26)
    detail.before(under)
    return under
  }

  function controlsOf(svg, icicle) {
    const element = (name, properties) => Object.assign(document.createElementNS(HTML, name), properties)
    const place = document.createElementNS(SVG, 'foreignObject')
    place.setAttribute('y', 4)
    place.setAttribute('width', 560)
    place.setAttribute('height', 28)
    const bar = element('div', { className: 'controls' })
    const result = element('output', {})
    const input = element('input', { type: 'search', placeholder: 'Search (/)' })
    input.setAttribute('aria-label', 'Search frames by name, also with a regular expression')
    const flip = element('button', { type: 'button', textContent: icicle ? 'Flames' : 'Icicles' })
    const reset = element('button', { type: 'button', textContent: 'Reset zoom', disabled: true })
    bar.append(result, input, flip, reset)
    place.append(bar)
    svg.append(place)
    return { place, result, input, flip, reset }
  }

  const svg = isFile ? document.documentElement : document.querySelector('svg.flame-graph')
  const frames = [...(svg?.querySelectorAll('.f') ?? [])].map(readFrame)
  if (frames.length > 0) new FlameGraph(svg, frames).start()
}
