/* A network in space over time: the page that sim/plot/page.py writes. three.js draws it. */
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const element = id => document.getElementById(id);
  function bytes(text) { /* a loop, as Uint8Array.from takes seconds for megabytes */
    const packed = atob(text), found = new Uint8Array(packed.length);
    for (let k = 0; k < packed.length; k++) found[k] = packed.charCodeAt(k);
    return found;
  }
  const floats = text => new Float32Array(bytes(text).buffer);
  const unpacked = text => new Response(
    new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
  const place = floats(data.place), ends = floats(data.segments), owner = new Int32Array(bytes(data.owner).buffer);
  const switches = place.length / 3, pieces = owner.length, quads = pieces + switches, links = data.links.port.length;
  const frames = data.edges.length - 1;
  const stage = element('stage'), tip = element('tip'), slider = element('time');
  let frame = 0, figure = null, pointer = null, chosen = null;

  /* The scene: every piece of a link and every switch is a rectangle that faces the eye, in one mesh. */
  const renderer = new THREE.WebGLRenderer({antialias: false});
  renderer.setClearColor(0xffffff);
  const picture = renderer.domElement;
  picture.tabIndex = 0;
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-describedby', 'about');
  stage.prepend(picture);
  const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(30, 1, 0.1, 5000);
  camera.up.set(0, 0, 1);
  const positions = new THREE.BufferAttribute(new Float32Array(quads * 12), 3);
  const colours = new THREE.BufferAttribute(new Uint8Array(quads * 16), 4, true);
  const corners = new THREE.BufferAttribute(new Uint32Array(quads * 6), 1);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', positions);
  geometry.setAttribute('color', colours);
  geometry.setAttribute('uv', new THREE.BufferAttribute(textureCoordinates(), 2));
  geometry.setIndex(corners);
  const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({
    map: drawnTexture(), vertexColors: true, transparent: true, depthTest: false, side: THREE.DoubleSide}));
  mesh.frustumCulled = false;
  scene.add(mesh);

  function drawnTexture() { /* left half: all white, for links; right half: a disc with an edge */
    const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
    canvas.width = 128; canvas.height = 64;
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, 60, 64);
    pen.beginPath(); pen.arc(96, 32, 28, 0, 7); pen.fill();
    pen.strokeStyle = '#8a949c'; pen.lineWidth = 4; pen.stroke();
    return new THREE.CanvasTexture(canvas);
  }
  function textureCoordinates() {
    const uv = new Float32Array(quads * 8);
    for (let q = 0; q < quads; q++) {
      uv.set(q < pieces ? [.2, .5, .2, .5, .2, .5, .2, .5] : [.5, 0, 1, 0, 1, 1, .5, 1], q * 8);
    }
    return uv;
  }

  /* What is behind comes first. */
  const depth = new Float32Array(quads), order = Array.from({length: quads}, (_, q) => q);
  const eye = new THREE.Vector3(), right = new THREE.Vector3(), up = new THREE.Vector3(), back = new THREE.Vector3();
  function face() {
    camera.updateMatrixWorld();
    camera.matrixWorld.extractBasis(right, up, back);
    eye.setFromMatrixPosition(camera.matrixWorld);
    const out = positions.array, half = data.width / 2, r = data.radius;
    for (let s = 0; s < pieces; s++) {
      const [ax, ay, az, bx, by, bz] = ends.subarray(6 * s, 6 * s + 6);
      const vx = eye.x - ax, vy = eye.y - ay, vz = eye.z - az, dx = bx - ax, dy = by - ay, dz = bz - az;
      let px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
      const scale = half / (Math.hypot(px, py, pz) || 1);
      px *= scale; py *= scale; pz *= scale;
      out.set([ax + px, ay + py, az + pz, bx + px, by + py, bz + pz, bx - px, by - py, bz - pz,
        ax - px, ay - py, az - pz], 12 * s);
      depth[s] = (ax + bx) / 2 * back.x + (ay + by) / 2 * back.y + (az + bz) / 2 * back.z;
    }
    for (let i = 0; i < switches; i++) {
      const x = place[3 * i], y = place[3 * i + 1], z = place[3 * i + 2], o = 12 * (pieces + i);
      [[-1, -1], [1, -1], [1, 1], [-1, 1]].forEach(([a, b], k) => {
        out[o + 3 * k] = x + r * (a * right.x + b * up.x);
        out[o + 3 * k + 1] = y + r * (a * right.y + b * up.y);
        out[o + 3 * k + 2] = z + r * (a * right.z + b * up.z);
      });
      depth[pieces + i] = x * back.x + y * back.y + z * back.z + 1e-4;
    }
    order.sort((a, b) => depth[a] - depth[b]);
    order.forEach((q, k) => corners.array.set([4 * q, 4 * q + 1, 4 * q + 2, 4 * q, 4 * q + 2, 4 * q + 3], 6 * k));
    positions.needsUpdate = corners.needsUpdate = true;
  }
  function colour() {
    const out = new Uint32Array(colours.array.buffer), table = figure.table, at = frame * (links + switches);
    for (let q = 0; q < quads; q++) {
      out.fill(table[figure.values[at + (q < pieces ? owner[q] : links + q - pieces)]], 4 * q, 4 * q + 4);
    }
    colours.needsUpdate = true;
  }
  let wanted = false;
  function draw(moved) {
    if (moved) face();
    renderer.render(scene, camera);
    wanted = false;
    axes();
    hover();
  }
  const soon = () => { if (!wanted) { wanted = true; requestAnimationFrame(() => draw(true)); } };

  /* The eye. */
  const box = new THREE.Box3().setFromArray(place), middle = box.getCenter(new THREE.Vector3());
  const flat = box.max.z - box.min.z < 1e-6, corner = box.min.clone().subScalar(0.75);
  const radius = Math.max(box.getBoundingSphere(new THREE.Sphere()).radius + 0.6,
    data.axes.length ? 0.85 * corner.distanceTo(middle) : 0);
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  controls.target.copy(middle);
  controls.addEventListener('change', soon);
  const STEEP = Math.PI / 2 - 1e-4;
  function look(turn, tilt, away) { /* from this direction, at what the controls aim at */
    camera.position.set(Math.cos(tilt) * Math.cos(turn), Math.cos(tilt) * Math.sin(turn), Math.sin(tilt))
      .multiplyScalar(away).add(controls.target);
    controls.update();
  }
  function stand() {
    const tight = Math.min(1, camera.aspect) * Math.tan(camera.fov * Math.PI / 360);
    look(...(flat ? [-Math.PI / 2, STEEP] : data.eye), radius / Math.sin(Math.atan(tight)) * 0.94);
  }
  function step(turn, tilt, scale) { /* from where the eye is */
    const from = camera.position.clone().sub(controls.target), away = from.length();
    look(Math.atan2(from.y, from.x) + turn, Math.max(-STEEP, Math.min(STEEP, Math.asin(from.z / away) + tilt)), away * scale);
    soon();
  }
  const KEYS = {ArrowLeft: [-0.1, 0, 1], ArrowRight: [0.1, 0, 1], ArrowUp: [0, 0.1, 1], ArrowDown: [0, -0.1, 1],
    '+': [0, 0, 0.9], '-': [0, 0, 1 / 0.9]};
  picture.addEventListener('keydown', event => {
    if (KEYS[event.key]) step(...KEYS[event.key]);
    else if (event.key === 'PageDown') point(1);
    else if (event.key === 'PageUp') point(-1);
    else return;
    event.preventDefault();
  });
  function fit() {
    renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    renderer.setSize(stage.clientWidth, stage.clientHeight);
    camera.aspect = stage.clientWidth / Math.max(stage.clientHeight, 1);
    camera.updateProjectionMatrix();
    if (figure) { drawCurve(); show(frame); }
    soon();
  }

  /* Which way coordinates grow. */
  const marks = [];
  data.axes.forEach((name, d) => {
    const mark = document.createElement('span');
    const tipOf = corner.clone().setComponent(d, corner.getComponent(d) + 1.5);
    const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([corner, tipOf]),
      new THREE.LineBasicMaterial({color: 0x5b6b77}));
    mark.className = 'axis'; mark.textContent = name;
    stage.append(mark); scene.add(line);
    marks.push([mark, tipOf.clone().setComponent(d, tipOf.getComponent(d) + 0.3)]);
  });
  function onScreen(x, y, z) {
    const p = new THREE.Vector3(x, y, z).project(camera);
    return [(p.x + 1) / 2 * stage.clientWidth, (1 - p.y) / 2 * stage.clientHeight, p.z];
  }
  function axes() {
    for (const [mark, at] of marks) {
      const [x, y] = onScreen(at.x, at.y, at.z);
      mark.style.left = x + 'px'; mark.style.top = y + 'px';
    }
  }

  /* What is under the pointer: the switch, else the link, that is in front. */
  function under(x, y) {
    let best = null, front = Infinity;
    for (let i = 0; i < switches; i++) {
      const [a, b, z] = onScreen(place[3 * i], place[3 * i + 1], place[3 * i + 2]);
      if (z >= front || z > 1) continue;
      const size = Math.max(5, onScreen(place[3 * i] + data.radius * right.x, place[3 * i + 1] + data.radius * right.y,
        place[3 * i + 2] + data.radius * right.z)[0] - a);
      if (Math.hypot(a - x, b - y) <= size) { best = ['switch', i]; front = z; }
    }
    if (best) return best;
    for (let s = 0; s < pieces; s++) {
      const [ax, ay, az] = onScreen(...ends.subarray(6 * s, 6 * s + 3));
      const [bx, by] = onScreen(...ends.subarray(6 * s + 3, 6 * s + 6));
      const dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy || 1;
      const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square));
      if (az < front && az <= 1 && Math.hypot(ax + t * dx - x, ay + t * dy - y) <= 4) { best = ['link', owner[s]]; front = az; }
    }
    return best;
  }
  const text = (value, unit, digits = 4) =>
    unit ? `${+value.toPrecision(digits)} ${unit}` : `${+(100 * value).toPrecision(digits - 1)} %`;
  function texts(values, unit) { /* with as many digits as tell them apart */
    for (let digits = 4; ; digits++) {
      const found = values.map(value => text(value, unit, digits));
      if (new Set(found).size === values.length || digits === 9) return found;
    }
  }
  function valueOf(kind, number) {
    const [low, high] = figure.limits[kind];
    const level = figure.values[frame * (links + switches) + (kind === 'link' ? number : links + number)];
    return low + (high - low) * level / 255;
  }
  function hover() {
    const found = pointer ? under(...pointer) : chosen !== null && ['switch', chosen];
    tip.style.visibility = found ? 'visible' : 'hidden';
    if (!found) return;
    const [kind, number] = found, l = data.links;
    const what = kind === 'switch' ? data.names[number]
      : `link from switch ${l.from[number]} to ${l.to[number]}\n${l.port[number]}`;
    tip.textContent = `${what}\n${figure.title}: ${text(valueOf(kind, number), figure.unit)}`;
    const [x, y] = pointer || onScreen(...place.subarray(3 * number, 3 * number + 3));
    tip.style.left = Math.max(0, Math.min(x + 14, stage.clientWidth - tip.offsetWidth - 4)) + 'px';
    tip.style.top = Math.max(0, Math.min(y + 14, stage.clientHeight - tip.offsetHeight - 4)) + 'px';
  }
  function point(by) { /* at the next switch, for those who use the keyboard */
    chosen = chosen === null ? (by > 0 ? 0 : switches - 1) : (chosen + by + switches) % switches;
    pointer = null;
    hover();
  }
  stage.addEventListener('pointermove', event => {
    const at = stage.getBoundingClientRect();
    chosen = null;
    pointer = [event.clientX - at.left, event.clientY - at.top];
    requestAnimationFrame(hover);
  });
  stage.addEventListener('pointerleave', () => { pointer = null; hover(); });

  /* Time. */
  const chart = element('chart'), curve = chart.querySelector('canvas'), cursor = chart.querySelector('i');
  function drawCurve() { /* once per figure: only the cursor moves with time */
    const pen = curve.getContext('2d'), ticks = figure.axis, least = ticks[0], most = ticks[ticks.length - 1];
    const low = curve.height - 5, height = low - 5;
    const level = value => low - (most > least ? height * (value - least) / (most - least) : 0);
    curve.width = chart.clientWidth;
    pen.strokeStyle = '#d8dee3';
    pen.beginPath();
    for (const value of ticks) { pen.moveTo(0, level(value)); pen.lineTo(curve.width, level(value)); }
    pen.stroke();
    pen.beginPath();
    figure.whole.forEach((value, k) => {
      pen.lineTo(k / frames * curve.width, level(value));
      pen.lineTo((k + 1) / frames * curve.width, level(value));
    });
    pen.strokeStyle = '#4a5f6e'; pen.stroke();
    if (least === 0) { /* an area would be misread where the axis does not begin at 0 */
      pen.lineTo(curve.width, low); pen.lineTo(0, low);
      pen.fillStyle = '#a9b8c455'; pen.fill();
    }
    element('axis').replaceChildren(...texts(ticks, figure.unit).map((each, k) => {
      const mark = Object.assign(document.createElement('span'), {textContent: each});
      mark.style.top = level(ticks[k]) + 'px';
      return mark;
    }));
    const from = least === 0 ? '' : `, the axis begins at ${text(least, figure.unit)}, not at 0`;
    element('sum').textContent = figure.of + from;
    const [lowest, highest] = [Math.min(...figure.whole), Math.max(...figure.whole)].map(each => text(each, figure.unit));
    chart.setAttribute('aria-label', `${figure.title} over time, ${figure.of}: `
      + (lowest === highest ? `constant, ${lowest}` : `${lowest} to ${highest}`));
  }
  function show(number) {
    frame = Math.max(0, Math.min(frames - 1, number));
    slider.value = frame;
    colour();
    draw(false);
    cursor.style.transform = `translateX(${(frame + 0.5) / frames * chart.clientWidth}px)`;
    const [a, b] = [data.edges[frame], data.edges[frame + 1]];
    const now = `${+a.toPrecision(5)} to ${+b.toPrecision(5)} ${data.time}`;
    const whole = `network: ${text(figure.whole[frame], figure.unit)}`;
    element('now').textContent = now;
    element('most').textContent = whole;
    slider.setAttribute('aria-valuetext', `${now}, ${whole}`);
    picture.setAttribute('aria-label',
      `${document.title}: ${switches} switches and the links between them, coloured by ${figure.title}, ${now}; ${whole}`);
  }
  slider.max = frames - 1;
  slider.addEventListener('input', () => show(+slider.value));
  chart.addEventListener('click', event => {
    const at = chart.getBoundingClientRect();
    show(Math.floor((event.clientX - at.left) / at.width * frames));
  });
  let playing = 0;
  const button = element('play');
  function stop() { clearInterval(playing); playing = 0; button.textContent = 'Play'; }
  button.addEventListener('click', () => {
    if (playing) { stop(); return; }
    if (frame === frames - 1) show(0);
    button.textContent = 'Pause';
    playing = setInterval(() => { if (frame === frames - 1) stop(); else show(frame + 1); }, 100);
  });

  /* Figures. */
  function scale(kind) {
    const [low, high] = figure.limits[kind], made = document.createElement('div');
    const constant = low === high;
    const stops = Array.from({length: 9}, (_, k) => figure.colours[Math.round(255 * k / 8)]);
    const one = figure.colours[high > 0 ? 255 : 0];
    const values = constant ? [text(high, figure.unit)]
      : texts([4, 3, 2, 1, 0].map(k => low + (high - low) * k / 4), figure.unit);
    made.className = constant ? 'scale constant' : 'scale';
    made.innerHTML = '<b></b><div><i></i><ol></ol></div>';
    made.querySelector('b').textContent = `${kind}: ${figure.title}${constant ? ', constant' : ''}`;
    made.querySelector('i').style.background = constant ? one : `linear-gradient(to top, ${stops.join(',')})`;
    made.querySelector('ol').append(...values.map(value => Object.assign(document.createElement('li'), {textContent: value})));
    return made;
  }
  async function choose(number) {
    const wanted = data.figures[number];
    if (!wanted.values) wanted.values = new Uint8Array(await unpacked(wanted.packed));
    if (!wanted.table) wanted.table = new Uint32Array(bytes(wanted.rgba).buffer);
    figure = wanted;
    element('scales').replaceChildren(scale('switch'), scale('link'));
    drawCurve();
    show(frame);
  }
  data.figures.forEach((each, number) => {
    const label = document.createElement('label'), input = document.createElement('input');
    Object.assign(input, {type: 'radio', name: 'figure', value: each.name, checked: number === 0});
    input.addEventListener('change', () => choose(number));
    label.append(input, ' ' + each.title);
    element('figures').append(label);
  });

  fit();
  stand();
  face();
  window.view = {choose, show, placeOf: i => onScreen(...place.subarray(3 * i, 3 * i + 3)), ready: choose(0)};
  new ResizeObserver(fit).observe(stage);
})();
