"""Cases by trigger: question, passages, claim; first those that should fire, then those that should not."""

from franq_guard.schema import TriggerName

ROADS = "The road over the pass is closed in winter. Snow chains are needed from October on."
SHOP = "The shop by the station sells bread, milk and newspapers. It has a small cafe with four tables."
FILL = f"{ROADS} {SHOP} Buses leave every hour from the square in front of the church. {SHOP} {ROADS}"

POSITIVE = {
    TriggerName.SPARSE_RETRIEVAL: [
        ("Who painted the ceiling?", [ROADS], "The ceiling was painted by Anna Brandt."),
        ("When was the dam finished?", [SHOP], "The dam was finished in 1958."),
        ("How fast is the lift?", [ROADS, SHOP], "The lift rises at 6 metres per second."),
        ("What is the yield strength of the alloy?", [SHOP], "The alloy has a yield strength of 350 MPa."),
        ("Which virus causes measles?", [ROADS], "Measles is caused by a morbillivirus."),
        ("Who owns the vineyard?", ["Buses leave every hour."], "The vineyard belongs to the Keller family."),
        ("Is the beach guarded?", [], "The beach is guarded by lifeguards."),
        ("Is the beach guarded?", ["  "], "The beach is guarded by lifeguards."),
    ],
    TriggerName.CONTEXT_DILUTION: [
        (
            "When was the dam finished?",
            [FILL, FILL + " The dam was finished in 1958."],
            "The dam was finished in 1971.",
        ),
        (
            "How long is the tunnel?",
            [FILL, "The tunnel is 840 metres long."],
            "The tunnel is 1,900 metres long.",
        ),
        (
            "Who built the chapel?",
            [FILL, FILL + " The chapel was built by monks."],
            "The chapel was not built by monks.",
        ),
        (
            "Is swimming allowed?",
            [FILL, "Swimming is not allowed in the lake."],
            "Swimming is allowed in the lake.",
        ),
        ("What does the tour cost?", [ROADS, FILL, "The tour costs 15 euros."], "The tour costs 25 euros."),
        ("When does the tram run?", [FILL, FILL + " The tram runs on Sundays."], "The tram runs on Fridays."),
        (
            "How many bells are there?",
            [FILL, SHOP, "The tower has seven bells."],
            "The tower has twelve bells.",
        ),
        ("How high is the pass?", [FILL, "The pass is 2,100 metres high."], "The pass is 1,400 metres high."),
    ],
    TriggerName.OVER_SPECIFIED: [
        (
            "When was the mill built?",
            ["The mill was built in the 18th century."],
            "The mill was built in 1764.",
        ),
        ("How many beds are there?", ["The hostel has about 80 beds."], "The hostel has 83 beds."),
        ("When is the fair?", ["The fair is held in May 2022."], "The fair is held on 12 May 2022."),
        (
            "How deep is the lake?",
            ["The lake is between 40 and 60 metres deep."],
            "The lake is 52 metres deep.",
        ),
        (
            "How many came?",
            ["Several thousand people came to the concert."],
            "The concert was seen by 4,310 people.",
        ),
        ("How old is the tree?", ["The tree is more than 500 years old."], "The tree is 612 years old."),
        (
            "How heavy is the bell?",
            ["The bell is very heavy and made of bronze."],
            "The bell is made of bronze and weighs 740 kg.",
        ),
        (
            "What did it cost?",
            ["The bridge cost over two million euros."],
            "The bridge cost 2.37 million euros.",
        ),
    ],
    TriggerName.CONFLICTING_SOURCES: [
        (
            "How deep is the lake?",
            ["The lake is 52 metres deep.", "The lake is 61 metres deep."],
            "The lake is 52 metres deep.",
        ),
        (
            "When was it built?",
            ["The mill was built in 1764.", "The mill was built in 1802."],
            "The mill was built in 1802.",
        ),
        (
            "Is it open?",
            ["The castle is open to visitors.", "The castle is not open to visitors."],
            "The castle is open to visitors.",
        ),
        (
            "What is the fee?",
            ["The entrance fee is 5 euros.", "The entrance fee is 9 euros."],
            "The entrance fee is 5 euros.",
        ),
        (
            "How many rooms?",
            ["The hotel has 30 rooms.", SHOP, "The hotel has 45 rooms."],
            "The hotel has 45 rooms.",
        ),
        (
            "When is it closed?",
            ["The museum is closed on Mondays.", "The museum is closed on Tuesdays."],
            "The museum is closed on Mondays.",
        ),
        (
            "What share voted?",
            ["In all, 61% of the members voted.", "In all, 48% of the members voted."],
            "In all, 61% of the members voted.",
        ),
        (
            "How long and wide?",
            ["The hall is 40 m long and 9 m wide.", "The hall is 55 m long and 12 m wide."],
            "The hall is 40 m long and 12 m wide.",
        ),
    ],
    TriggerName.UNWARRANTED_CONFIDENCE: [
        ("Who built the mill?", ["The mill stands by a stream."], "The mill was built by Jonas Falk."),
        (
            "Why did the lift stop?",
            ["The lift has two cabins."],
            "The lift stopped because a cable was sabotaged.",
        ),
        (
            "When did the queen visit?",
            ["The queen lived in a castle."],
            "The queen certainly visited the town in 1840.",
        ),
        (
            "How many steps are there?",
            ["The tower has a wooden stair."],
            "The tower definitely has 312 steps.",
        ),
        ("What is the dog's name?", ["The shepherd has a dog."], "The name of the dog is Rollo."),
        (
            "Who won?",
            ["The race was held in June."],
            "The race was won by a team from Malta without any doubt.",
        ),
        ("What does it cure?", ["The herb grows in the Alps."], "The herb always cures fever."),
        ("When was it sold?", ["The vineyard has ten hectares."], "The vineyard was sold to a bank in 2015."),
    ],
}

NEGATIVE = {
    TriggerName.SPARSE_RETRIEVAL: [
        ("When was the dam finished?", ["The dam was finished in 1958."], "The dam was finished in 1958."),
        ("When was the dam finished?", ["The dam was finished in 1958."], "The dam was finished in 1971."),
        (
            "Who painted the ceiling?",
            [SHOP, "Anna Brandt painted the ceiling of the hall."],
            "The ceiling was painted by Anna Brandt.",
        ),
        (
            "How fast is the lift?",
            ["The lift rises at 6 metres per second."],
            "The lift rises at 9 metres per second.",
        ),
        ("Is the road open in winter?", [ROADS], "The road over the pass is closed in winter."),
        ("What does the shop sell?", [SHOP], "The shop sells newspapers."),
        ("What does the shop by the station sell?", [SHOP], "Umbrellas."),
        (
            "Who owns the vineyard?",
            ["The vineyard belongs to a bank."],
            "The vineyard belongs to the Keller family.",
        ),
    ],
    TriggerName.CONTEXT_DILUTION: [
        (
            "When was the dam finished?",
            ["The dam was finished in 1958.", FILL],
            "The dam was finished in 1971.",
        ),
        (
            "When was the dam finished?",
            [FILL, "The dam was finished in 1958."],
            "The dam was finished in 1958.",
        ),
        ("Who owns the vineyard?", [FILL, FILL], "The vineyard belongs to the Keller family."),
        ("How long is the tunnel?", ["The tunnel is 840 metres long."], "The tunnel is 1,900 metres long."),
        (
            "How long is the tunnel?",
            [FILL, "The tunnel is 840 metres long."],
            "The tunnel is 840 metres long.",
        ),
        (
            "Is swimming allowed?",
            ["Swimming is not allowed in the lake."],
            "Swimming is allowed in the lake.",
        ),
        ("Who painted the ceiling?", [FILL], "The ceiling was painted by Anna Brandt."),
        ("Is swimming allowed?", [], "Swimming is allowed in the lake."),
    ],
    TriggerName.OVER_SPECIFIED: [
        (
            "When was the mill built?",
            ["The mill was built in 1764."],
            "The mill was built in the 18th century.",
        ),
        ("How many beds are there?", ["The hostel has 83 beds."], "The hostel has about 80 beds."),
        ("When is the fair?", ["The fair is held on 12 May 2022."], "The fair is held in May 2022."),
        ("How deep is the lake?", ["The lake is 52 metres deep."], "The lake is 52 m deep."),
        ("How deep is the lake?", ["The lake is 52 metres deep."], "The lake is about 170 feet deep."),
        (
            "How many came?",
            ["The concert was seen by 4,310 people."],
            "The concert was seen by over four thousand people.",
        ),
        ("How deep is the lake?", ["The lake is 52 metres deep."], "The lake is 99 metres deep."),
        ("How old is the tree?", [SHOP], "The tree is 612 years old."),
    ],
    TriggerName.CONFLICTING_SOURCES: [
        (
            "How deep is the lake?",
            ["The lake is 52 metres deep.", "At 52 m, the lake is deep."],
            "The lake is 52 metres deep.",
        ),
        ("How deep is the lake?", ["The lake is 52 metres deep.", SHOP], "The lake is 52 metres deep."),
        ("How deep is the lake?", ["The lake is 52 metres deep."], "The lake is 61 metres deep."),
        (
            "How deep is the lake?",
            ["The lake is 52 metres deep.", "The lake is 52 metres deep."],
            "The lake is 61 metres deep.",
        ),
        (
            "When was it built?",
            ["The mill was built in 1764.", "The inn next to it opened in 1802."],
            "The mill was built in 1764.",
        ),
        (
            "Is it open?",
            ["The castle is open to visitors.", "Dogs are not admitted to the park."],
            "The castle is open to visitors.",
        ),
        (
            "What is the fee?",
            ["The entrance fee is 5 euros.", "A map costs 9 euros."],
            "The entrance fee is 5 euros.",
        ),
        ("Is it open?", [], "The castle is open to visitors."),
    ],
    TriggerName.UNWARRANTED_CONFIDENCE: [
        ("Who built the mill?", ["The mill was built by Jonas Falk."], "The mill was built by Jonas Falk."),
        (
            "Who built the mill?",
            ["The mill stands by a stream."],
            "Perhaps the mill was built by Jonas Falk.",
        ),
        (
            "Who built the mill?",
            ["The mill stands by a stream."],
            "The mill was probably built by Jonas Falk.",
        ),
        (
            "When did the queen visit?",
            ["The queen lived in a castle."],
            "The queen might have visited the town in 1840.",
        ),
        ("How many steps are there?", ["The tower has 312 steps."], "The tower definitely has 312 steps."),
        ("What is the dog's name?", ["The shepherd has a dog."], "I think the name of the dog is Rollo."),
        ("Who won?", ["The race was held in June."], "It is unclear whether a team from Malta won the race."),
        ("What does it cure?", ["The herb grows in the Alps."], "The herb is said to be a cure for fever."),
    ],
}
