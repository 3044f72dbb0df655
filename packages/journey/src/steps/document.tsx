import { useState } from 'preact/hooks';
import '../capture/capture.css';
import { useBack } from '../back-stack.ts';
import { CaptureSide, type SideTaken } from '../capture/document/capture-side.tsx';
import { CountryQuestion } from '../capture/document/country-question.tsx';
import { KeepPhotos } from '../capture/document/keep-photos.tsx';
import { type DocumentSettings, sidesOf, wantedSides } from '../capture/document/plan-sides.ts';
import { useCardGuide } from '../capture/document/use-card-guide.ts';
import { hintsOfSides } from '../capture/hints.ts';
import { recallChoice, rememberChoice } from '../capture/remember-capture.ts';
import { sampleDocument } from '../capture/sample.ts';
import { type Choice, ChooseDocument, settledChoice } from '../choice.tsx';
import { hashOf } from '../upload-once.ts';
import type { StepProps } from './step.ts';

/** The end user names the document, and photographs its sides one after the other. */
export function DocumentStep(props: StepProps) {
  return <Attempt key={props.step.attempt} {...props} />;
}

const COUNTRY_DIFFERS = 'country_differs';

/** The sides that are uploaded, and whether the country is still in question. */
function useSides(step: StepProps['step'], settings: DocumentSettings) {
  const [pictures, setPictures] = useState<readonly SideTaken[]>([]);
  // Sides that were uploaded before a reload, or were good, are not requested again. New ones are counted in `taken`.
  const [there, setThere] = useState<readonly string[]>(step.images);
  const differs = step.fault?.reason === COUNTRY_DIFFERS && settings.readCountry !== undefined;
  const [isCountryOpen, setCountryOpen] = useState(differs);
  const anew = () => {
    setThere([]);
    setPictures([]);
    setCountryOpen(false);
  };
  return { taken: pictures, setTaken: setPictures, there, isCountryOpen, anew };
}

/** The chosen document. It is remembered over a reload, unless the definition determines it. */
function useChoice({ journey, step }: StepProps, settings: DocumentSettings) {
  const storageKey = `grove-document-${journey.processInstanceId}-${step.id}`;
  const settledByTenant = settledChoice(settings);
  const [choice, setChoice] = useState<Choice | undefined>(settledByTenant ?? recallChoice(storageKey));
  const choose = (newChoice: Choice | undefined) => {
    rememberChoice(storageKey, newChoice);
    setChoice(newChoice);
  };
  return { choice, choose, isSettled: settledByTenant !== undefined };
}

function Attempt(props: StepProps) {
  const { step, api, t, language, submit } = props;
  const settings = step.settings as unknown as DocumentSettings;
  const { choice, choose, isSettled } = useChoice(props, settings);
  const { taken: pictures, setTaken: setPictures, there, isCountryOpen, anew } = useSides(step, settings);
  const guide = useCardGuide();
  const chooseAnew = () => {
    anew();
    choose(undefined);
  };
  const toSideBefore = () => setPictures(pictures.slice(0, -1));
  const onOther = isSettled ? undefined : chooseAnew;
  useBack(choice === undefined ? undefined : pictures.length > 0 ? toSideBefore : onOther, 'step');

  if (!choice) return <ChooseDocument t={t} language={language} {...settings} onChoose={choose} />;
  const { documentType, countryCode } = choice;
  const sides = sidesOf(settings.sides, documentType);

  const { readCountry } = settings;
  if (isCountryOpen && readCountry) {
    const answer = async (country: string) => {
      choose({ documentType, countryCode: country });
      await submit({ documentType, countryCode: country, ...(country !== readCountry && { countryConfirmed: true }) });
    };
    return (
      <CountryQuestion
        t={t}
        language={language}
        readCountry={readCountry}
        chosenCountry={countryCode}
        onAnswer={answer}
        onAnew={anew}
      />
    );
  }
  const isComplete = sides.every((each) => there.includes(each)) && pictures.length === 0;
  if (isComplete && !step.fault) {
    const use = () => submit({ documentType, countryCode });
    return <KeepPhotos t={t} api={api} sides={sides} onOther={onOther} onUse={use} onAnew={anew} />;
  }
  const missingSides = wantedSides(sides, there);
  const side = missingSides[Math.min(pictures.length, missingSides.length - 1)] ?? 'front';

  const take = async (one: SideTaken, onProgress: (share: number) => void) => {
    if (!one.arrived) await api.uploadImage(side, one.blob, { onProgress });
    const sha256 = one.arrived ? undefined : await hashOf(one.blob);
    const all = [...pictures, { ...one, hints: { ...one.hints, ...(sha256 && { sha256 }) } }];
    if (all.length < missingSides.length) return setPictures(all);
    const hints = hintsOfSides(all.map((each, index) => ({ side: missingSides[index] ?? '', hints: each.hints })));
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
      otherSide={pictures[pictures.length - 1]?.thumbnail}
      sample={sampleDocument(documentType, countryCode)}
      onTaken={take}
      onAll={pictures.length === 0 && missingSides.length < sides.length ? anew : undefined}
      onOther={onOther}
    />
  );
}
