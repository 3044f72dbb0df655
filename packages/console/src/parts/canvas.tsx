import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { type ComponentProps, type KeyboardEvent, useRef, useState } from 'react';
import { useT } from '../texts/texts.tsx';
import { onFirstClick } from './first-click.ts';
import { addStep, Inspector, moveStep, type Step, useStepSchemas } from './outline.tsx';
import { Waiting } from './states.tsx';

/** Shows the steps of a definition as a flow, with its jumps. It has the same content as the outline. */
type CanvasProps = { steps: readonly Step[]; onSteps(steps: Step[]): void; isReadOnly: boolean };

const WIDTH = 260;
const HEIGHT = 64;
const GAP = 44;
const LANE = 26;
const MARGIN = 12;
const top = (at: number) => MARGIN + at * (HEIGHT + GAP);

type Jump = { from: number; to: number; label: string };

/** The jumps of the steps: a member of a step that names another step leads there. */
function jumpsOf(steps: readonly Step[]): Jump[] {
  const places = new Map(steps.map(({ id }, at) => [id, at]));
  return steps.flatMap((step, from) =>
    Object.entries(step).flatMap(([name, value]) => {
      const to = name === 'id' || typeof value !== 'string' ? undefined : places.get(value);
      return to === undefined || to === from ? [] : [{ from, to, label: name }];
    }),
  );
}

export function Canvas({ steps, onSteps, isReadOnly }: CanvasProps) {
  const t = useT();
  const schemas = useStepSchemas();
  const [at, setAt] = useState(0);
  const [zoom, setZoom] = useState(1);
  if (!schemas) return <Waiting />;
  const selectedStep = steps[Math.min(at, steps.length - 1)];
  const selectedIndex = selectedStep ? steps.indexOf(selectedStep) : -1;
  const remove = () => onSteps(steps.toSpliced(selectedIndex, 1));
  const move = (by: number) => {
    if (isReadOnly || selectedIndex + by < 0 || selectedIndex + by >= steps.length) return;
    onSteps(moveStep(steps, selectedIndex, by));
    setAt(selectedIndex + by);
  };
  return (
    <div className="canvas">
      <Stack gap="xs">
        <Group gap={4}>
          <Button size="compact-xs" variant="default" onClick={() => setZoom(Math.min(2, zoom + 0.25))}>
            {t('case.zoomIn')}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => setZoom(Math.max(0.25, zoom - 0.25))}>
            {t('case.zoomOut')}
          </Button>
          <Text size="xs" c="dimmed">
            {t('canvas.keys')}
          </Text>
        </Group>
        <Flow
          steps={steps}
          at={selectedIndex}
          zoom={zoom}
          onAt={setAt}
          onMove={move}
          onRemove={isReadOnly ? undefined : remove}
        />
        {!isReadOnly && (
          <Select
            label={t('outline.add')}
            data={Object.keys(schemas)}
            value={null}
            searchable
            onChange={(type) => {
              if (!type) return;
              const change = addStep(steps, type);
              onSteps(change.steps);
              setAt(change.at);
            }}
          />
        )}
      </Stack>
      {selectedStep && (
        <SelectedStep
          steps={steps}
          onSteps={onSteps}
          isReadOnly={isReadOnly}
          index={selectedIndex}
          move={move}
          remove={remove}
          step={selectedStep}
          schema={schemas[selectedStep.type]}
        />
      )}
    </div>
  );
}

type SelectedStepProps = CanvasProps & {
  step: Step;
  schema: ComponentProps<typeof Inspector>['schema'];
  index: number;
  move(by: number): void;
  remove(): void;
};

function SelectedStep({ steps, onSteps, isReadOnly, step, schema, index, move, remove }: SelectedStepProps) {
  const t = useT();
  const buttons = [
    { label: t('outline.up'), isOff: index === 0, act: () => move(-1) },
    { label: t('outline.down'), isOff: index === steps.length - 1, act: () => move(1) },
    { label: t('outline.remove'), isOff: false, act: onFirstClick(remove) },
  ];
  return (
    <section className="card" aria-label={step.id}>
      <Group justify="space-between">
        <Text fw={600}>{step.id}</Text>
        {!isReadOnly && (
          <Group gap={4}>
            {buttons.map(({ label, isOff, act }) => (
              <Button key={label} size="compact-xs" variant="default" disabled={isOff} onClick={act}>
                {label}
              </Button>
            ))}
          </Group>
        )}
      </Group>
      <Inspector
        key={index}
        step={step}
        schema={schema}
        isReadOnly={isReadOnly}
        onStep={(next) => onSteps(steps.toSpliced(index, 1, next))}
      />
    </section>
  );
}

type FlowProps = {
  steps: readonly Step[];
  at: number;
  zoom: number;
  onAt(at: number): void;
  onMove(by: number): void;
  onRemove: (() => void) | undefined;
};

function Flow({ steps, at, zoom, onAt, onMove, onRemove }: FlowProps) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  const jumps = jumpsOf(steps);
  const height = top(steps.length);
  const width = WIDTH + MARGIN * 2 + LANE * (jumps.length + 1);
  const go = (to: number) => {
    if (to < 0 || to >= steps.length) return;
    onAt(to);
    list.current?.querySelectorAll<HTMLElement>('.node')[to]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      if (event.altKey) onMove(by);
      else go(at + by);
    }
    if (event.key === 'Delete') onRemove?.();
  };
  return (
    <div className="flow" onKeyDown={onKeyDown} role="listbox" aria-label={t('outline.steps')} tabIndex={-1} ref={list}>
      <div style={{ width: width * zoom, height: height * zoom }}>
        <div className="flow-inner" style={{ width, height, transform: `scale(${zoom})` }}>
          <Lines count={steps.length} jumps={jumps} width={width} height={height} />
          {steps.map((step, index) => (
            <button
              type="button"
              role="option"
              // biome-ignore lint/suspicious/noArrayIndexKey: ids can be edited, positions cannot.
              key={index}
              className="node"
              aria-selected={index === at}
              tabIndex={index === at ? 0 : -1}
              style={{ top: top(index), insetInlineStart: MARGIN, width: WIDTH, height: HEIGHT }}
              onClick={() => onAt(index)}
            >
              <strong>
                {index + 1}. {step.id}
              </strong>
              <span>
                {step.type}
                {typeof step.when === 'string' && ` · ${t('outline.when', { condition: step.when })}`}
              </span>
            </button>
          ))}
        </div>
      </div>
    </div>
  );
}

type LinesProps = { count: number; jumps: readonly Jump[]; width: number; height: number };

function Lines({ count, jumps, width, height }: LinesProps) {
  const middle = MARGIN + WIDTH / 2;
  return (
    <svg className="flow-lines" width={width} height={height} aria-hidden="true">
      {Array.from({ length: Math.max(0, count - 1) }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the line from one position to the next.
        <path key={at} d={`M${middle} ${top(at) + HEIGHT}V${top(at + 1) - 6}m-5 -1l5 7l5 -7`} />
      ))}
      {jumps.map(({ from, to, label }, lane) => {
        const x = MARGIN + WIDTH;
        const out = x + LANE * (lane + 1);
        const [start, end] = [top(from) + HEIGHT / 2, top(to) + HEIGHT / 2 + 6];
        return (
          <g key={`${from} ${to} ${label}`} className="flow-jump">
            <path d={`M${x} ${start}H${out}V${end}H${x + 6}m7 -5l-7 5l7 5`} />
            <text x={out + 3} y={(start + end) / 2} fontSize="10">
              {label}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
