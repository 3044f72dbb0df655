import { useState } from 'preact/hooks';
import '../capture/capture.css';
import { CaptureSide, type SideTaken } from '../capture/document/capture-side.tsx';
import { type DocumentSettings, sidesOf } from '../capture/document/plan-sides.ts';
import { useCardGuide } from '../capture/document/use-card-guide.ts';
import { hintsOfSides } from '../capture/hints.ts';
import { recallChoice, rememberChoice } from '../capture/remember-capture.ts';
import { sampleDocument } from '../capture/sample.ts';
import { type Choice, ChooseDocument, settledChoice } from '../choice.tsx';
import type { StepProps } from './step.ts';

/** The end user says which document it is, and photographs its sides one after the other. */
export function DocumentStep(props: StepProps) {
  return <Attempt key={props.step.attempt} {...props} />;
}

function Attempt(props: StepProps) {
  const { journey, step, api, t, language, submit } = props;
  const settings = step.settings as unknown as DocumentSettings;
  const place = `grove-document-${journey.processInstanceId}-${step.id}`;
  const settled = settledChoice(settings);
  const [choice, setChoice] = useState<Choice | undefined>(settled ?? recallChoice(place));
  const [taken, setTaken] = useState<readonly SideTaken[]>([]);
  // What had arrived before a reload is not asked for again. What arrives from now on is counted in `taken`.
  const [before] = useState(step.images);
  const guide = useCardGuide();

  if (!choice) {
    const choose = (chosen: Choice) => {
      rememberChoice(place, chosen);
      setChoice(chosen);
    };
    return <ChooseDocument t={t} language={language} {...settings} onChoose={choose} />;
  }
  const { documentType, countryCode } = choice;
  const sides = sidesOf(settings.sides, documentType);
  // The last side is always taken again: with it the step is submitted.
  const arrived = sides.slice(0, -1).filter((side) => before.includes(side)).length;
  const at = arrived + taken.length;
  const side = sides[Math.min(at, sides.length - 1)] ?? 'front';

  const take = async (one: SideTaken, onProgress: (share: number) => void) => {
    await api.uploadImage(side, one.blob, { onProgress });
    const all = [...taken, one];
    if (at + 1 < sides.length) return setTaken(all);
    const hints = hintsOfSides(all.map((each, place) => ({ side: sides[arrived + place] ?? '', hints: each.hints })));
    await submit({ documentType, countryCode, hints });
  };
  return (
    <CaptureSide
      key={side}
      {...props}
      side={side}
      documentType={documentType}
      requireLiveCapture={settings.requireLiveCapture}
      guide={guide}
      otherSide={taken[taken.length - 1]?.thumbnail}
      sample={sampleDocument(documentType, countryCode)}
      onTaken={take}
      onOther={settled || taken.length > 0 ? undefined : () => setChoice(undefined)}
    />
  );
}
