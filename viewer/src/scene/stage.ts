// The stage: renderer, camera, light, ground, and the colours of day and night.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const themes = {
  light: { sky: "#dbe5ee", far: "#eef2f6", ground: "#f3f5f7", line: "#8b98a6", shadow: 0.3, hemisphere: 1.7, key: 2.3 },
  dark: { sky: "#10151b", far: "#1b222b", ground: "#161c23", line: "#6b7a8a", shadow: 0.5, hemisphere: 1.1, key: 1.9 },
};
export type Theme = keyof typeof themes;

const groundVertex = `
  varying vec3 place;
  void main() {
    place = (modelMatrix * vec4(position, 1.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
  }`;
// Lines of one pixel at any distance, every fifth stronger, all fading towards the horizon.
const groundFragment = `
  uniform float cell, reach, strength;
  uniform vec3 line, ground, far, centre;
  varying vec3 place;
  float lines(vec2 at) {
    vec2 width = max(fwidth(at), vec2(1e-6));
    vec2 near = abs(fract(at - 0.5) - 0.5) / width;
    return (1.0 - min(min(near.x, near.y), 1.0)) * clamp(1.0 - 1.5 * max(width.x, width.y), 0.0, 1.0);
  }
  void main() {
    vec2 at = place.xy / cell;
    float fade = 1.0 - smoothstep(0.25, 1.0, distance(place.xy, centre.xy) / reach);
    float mark = max(0.35 * lines(at), 0.8 * lines(at / 5.0)) * strength;
    gl_FragColor = vec4(mix(mix(far, ground, fade), line, mark * fade), 1.0);
    #include <colorspace_fragment>
  }`;

// Of a picture that is seen from a direction.
export function axesOf(direction: THREE.Vector3): Record<"right" | "up" | "towards", THREE.Vector3> {
  const towards = direction.clone().normalize();
  const right = new THREE.Vector3(0, 0, 1).cross(towards).normalize();
  return { right, up: towards.clone().cross(right), towards };
}
export function range(points: THREE.Vector3[], of: (point: THREE.Vector3) => number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const point of points) {
    const value = of(point);
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: OrbitControls;
  readonly size: number;
  dirty = true;
  moved = false; // by hand, since it last looked at the whole
  private readonly sun = new THREE.DirectionalLight("#fff6e8", 2.4);
  private readonly hemisphere = new THREE.HemisphereLight("#ffffff", "#b4bcc6", 1.6);
  private readonly fill = new THREE.DirectionalLight("#dfe9ff", 0.7); // from the other side, without a shadow
  private readonly ground: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly shade: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  readonly cell: number;

  constructor(canvas: HTMLCanvasElement, size: number, height: number) {
    this.size = size;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.camera.up.set(0, 0, 1);
    this.camera.near = 0.01 * size;
    this.camera.far = 400 * size;

    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.004 * size;
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -1.6 * size;
    box.right = box.top = 1.6 * size;
    box.near = 0.1 * size;
    box.far = 12 * size;
    this.scene.add(this.sun, this.sun.target, this.fill, this.fill.target, this.hemisphere);

    const steps = [1, 2, 5];
    const decade = 10 ** Math.floor(Math.log10(0.25 * size));
    this.cell = decade * (steps.filter((step) => step * decade <= 0.25 * size).pop() ?? 1);
    this.ground = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.ShaderMaterial({
        vertexShader: groundVertex,
        fragmentShader: groundFragment,
        depthWrite: false,
        uniforms: {
          cell: { value: this.cell },
          reach: { value: 14 * size },
          strength: { value: 0.55 },
          line: { value: new THREE.Color() },
          ground: { value: new THREE.Color() },
          far: { value: new THREE.Color() },
          centre: { value: new THREE.Vector3() },
        },
      }),
    );
    this.ground.scale.setScalar(300 * size);
    this.ground.position.z = height;
    this.ground.renderOrder = -2;
    this.shade = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.ShadowMaterial({ opacity: 0.3, depthWrite: false }),
    );
    this.shade.scale.setScalar(300 * size);
    this.shade.position.z = height;
    this.shade.renderOrder = -1;
    this.shade.receiveShadow = true;
    this.scene.add(this.ground, this.shade);

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.minDistance = 0.2 * size;
    this.controls.maxDistance = 60 * size;
    this.controls.addEventListener("change", () => (this.dirty = this.moved = true));
  }

  setTheme(name: Theme): void {
    const theme = themes[name];
    this.scene.background = new THREE.Color(theme.far);
    const uniforms = this.ground.material.uniforms;
    uniforms.line.value.set(theme.line);
    uniforms.ground.value.set(theme.ground);
    uniforms.far.value.set(theme.far);
    this.shade.material.opacity = theme.shadow;
    this.hemisphere.intensity = theme.hemisphere;
    this.sun.intensity = theme.key;
    this.dirty = true;
  }
  showGround(on: boolean): void {
    this.ground.visible = this.shade.visible = on;
    this.dirty = true;
  }

  // Looks from a direction, from as near as all the points are in the picture. With x to the right, y up and z towards
  // the camera, a point is seen at (x - a)/(d - z) from a camera at (a, ., d). It is within the part k of the half width
  // when x + k z <= a + k d and -x + k z <= -a + k d, so that with P and Q, the largest of the left sides,
  //
  //   (1)  a = (P - Q)/2,  d = (P + Q)/(2 k)
  look(direction: THREE.Vector3, points: THREE.Vector3[]): void {
    const { right, up, towards } = axesOf(direction);
    const tall = 0.85 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const [near, far] = range(points, (point) => point.dot(towards));
    const fit = (axis: THREE.Vector3, k: number): [number, number] => {
      const [, P] = range(points, (point) => point.dot(axis) + k * point.dot(towards));
      const [, Q] = range(points, (point) => -point.dot(axis) + k * point.dot(towards));
      return [(P - Q) / 2, (P + Q) / (2 * k)];
    };
    const [x, wide] = fit(right, tall * this.camera.aspect);
    const [y, high] = fit(up, tall);
    const middle = (near + far) / 2;
    const distance = Math.max(wide, high, far + 0.15 * this.size) - middle;
    const target = new THREE.Vector3()
      .addScaledVector(right, x)
      .addScaledVector(up, y)
      .addScaledVector(towards, middle);
    this.controls.maxDistance = Math.max(60 * this.size, 3 * distance);
    this.camera.far = 400 * Math.max(this.size, 0.1 * distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(towards, distance);
    this.controls.update();
    this.moved = false;
    this.light();
  }
  // Moves the camera along with what it looks at.
  follow(shift: THREE.Vector3): void {
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.light();
  }
  light(): void {
    const at = this.controls.target;
    this.sun.target.position.copy(at);
    this.sun.position.copy(at).add(new THREE.Vector3(-0.9, -1.7, 3.2).multiplyScalar(1.6 * this.size));
    this.fill.target.position.copy(at);
    this.fill.position.copy(at).add(new THREE.Vector3(1.6, -1.1, 0.7).multiplyScalar(this.size));
    this.ground.material.uniforms.centre.value.copy(at);
    this.ground.position.x = this.shade.position.x = at.x;
    this.ground.position.y = this.shade.position.y = at.y;
    this.dirty = true;
  }
  orbit(turn: number, tilt: number, zoom = 1): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const sphere = new THREE.Spherical().setFromVector3(new THREE.Vector3(offset.x, offset.z, -offset.y));
    sphere.theta += turn;
    sphere.phi = Math.min(Math.PI - 0.02, Math.max(0.02, sphere.phi + tilt));
    sphere.radius *= zoom;
    const moved = new THREE.Vector3().setFromSpherical(sphere);
    this.camera.position.copy(this.controls.target).add(new THREE.Vector3(moved.x, -moved.z, moved.y));
    this.controls.update();
    this.dirty = true;
  }

  resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }
  draw(): void {
    this.renderer.render(this.scene, this.camera);
    this.dirty = false;
  }
}
