//! What each keyword says, in one line.

/// What a keyword says; nothing for words that are none, and for those of the core library.
pub(super) fn documentation(word: &str) -> Option<&'static str> {
    KEYWORDS.iter().find(|(keyword, _)| *keyword == word).map(|(_, documentation)| *documentation)
}

/// By what they are for.
const KEYWORDS: &[(&str, &str)] = &[
    // Differentiation.
    ("no_diff", "No derivative goes through what this stands in front of."),
    ("fwd_diff", "The forward derivative of a function: takes pairs, gives a pair."),
    (
        "bwd_diff",
        "The backward derivative of a function: takes pairs and the derivative of the result, and adds derivatives to the pairs.",
    ),
    // How parameters are passed.
    ("in", "The function gets a copy."),
    ("out", "The function gives this out: its derivative flows into `bwd_diff`."),
    ("inout", "The function gets this and gives it out."),
    ("ref", "The function works on what the caller has, without a copy."),
    ("constref", "The function reads what the caller has, without a copy."),
    ("borrow", "The function reads what the caller has, which stays as it is meanwhile."),
    ("param", "What follows is a parameter that the host provides."),
    // Declarations.
    ("struct", "Declares a type with fields and methods. Assignment copies it."),
    ("class", "Declares a type whose values are references to objects."),
    ("enum", "Declares a type by its values, which are integers."),
    (
        "interface",
        "Declares what types must have that conform to it. Generic parameters and values of any such type can be bounded by it.",
    ),
    ("extension", "Adds members and interfaces to a type that is declared elsewhere."),
    ("namespace", "Puts declarations under a name."),
    ("module", "Names the module that this file is the main file of."),
    ("implementing", "This file is a part of the module that is named."),
    ("import", "Makes the public declarations of a module visible."),
    ("__include", "Adds a file to this module."),
    ("__exported", "What this imports is visible to those who import this module as well."),
    ("using", "Makes the declarations of a namespace visible without its name."),
    ("func", "Declares a function, with its result behind `->`."),
    ("let", "Declares a variable that keeps its value."),
    ("var", "Declares a variable whose type is that of its value, if none is written."),
    ("typealias", "Gives a type another name."),
    ("typedef", "Gives a type another name, which comes last."),
    ("associatedtype", "A type that each type chooses that conforms to this interface."),
    ("property", "Declares what reads like a field and is computed by accessors."),
    ("get", "The accessor that computes the value of a property or an element."),
    ("set", "The accessor that takes a new value, `newValue`."),
    ("modify", "The accessor that hands out a place to read and write."),
    ("__init", "Declares a constructor."),
    ("__subscript", "Declares what `value[index]` means."),
    ("operator", "Declares what an operator means for own types."),
    ("cbuffer", "Declares variables that lie in one constant buffer."),
    ("tbuffer", "Declares variables that lie in one texture buffer."),
    ("type_param", "Declares a type that whoever compiles the program chooses."),
    ("__generic", "Declares the parameters of a generic declaration, as old code writes it."),
    ("typename", "The parameter of a generic that follows is a type."),
    ("where", "Bounds the parameters of a generic."),
    ("optional", "The bound that follows may hold or not; the code asks with `is`."),
    ("implicit", "The conversion needs no cast."),
    ("throws", "The function may end with an error of this type."),
    ("static_assert", "An error where the condition does not hold, when the program is compiled."),
    ("attribute_syntax", "Declares an attribute of the language."),
    ("syntax", "Declares a keyword of the language."),
    // Modifiers.
    (
        "static",
        "Belongs to the type, not to its values. Of a global variable: the program's own, which the host does not provide.",
    ),
    ("const", "Keeps its value."),
    ("constexpr", "The value is known when the program is compiled."),
    ("uniform", "The host provides the value, the same for all threads."),
    ("dynamic_uniform", "The value is the same for all threads of a wave."),
    ("groupshared", "One for all threads of a group, which may wait for each other by barriers."),
    ("shared", "One for all threads of a group, as GLSL writes it."),
    ("globallycoherent", "What one group writes others read, too, without a barrier of their own."),
    ("coherent", "What one thread writes others may read, as GLSL writes it."),
    ("volatile", "May change at any time: each use reads it again."),
    ("restrict", "Nothing else leads to the same memory."),
    ("readonly", "May only be read."),
    ("writeonly", "May only be written."),
    ("buffer", "Declares a storage buffer, as GLSL writes it."),
    ("layout", "Says where something is bound or how it lies in memory, as GLSL writes it."),
    ("public", "Visible in other modules."),
    ("internal", "Visible in this module, as all is that says nothing else."),
    ("private", "Visible in the type that declares it."),
    ("export", "Code of other modules can be linked with this."),
    ("extern", "Another module has the definition."),
    ("inline", "A hint to put the body in place of calls."),
    ("override", "Replaces a method that an interface or a base type gives."),
    ("require", "Must be provided by whoever uses this."),
    ("dyn", "The interface's values may be of any type that conforms, chosen while the program runs."),
    ("precise", "The result must not depend on how operations are combined."),
    ("row_major", "The matrix lies in memory row by row."),
    ("column_major", "The matrix lies in memory column by column."),
    ("nointerpolation", "Not interpolated between vertices: the value of the first one."),
    ("noperspective", "Interpolated on the screen, without regard to depth."),
    ("linear", "Interpolated with regard to depth, as all is that says nothing else."),
    ("sample", "Interpolated at each sample."),
    ("centroid", "Interpolated where the primitive covers the pixel."),
    ("flat", "Not interpolated, as GLSL writes it."),
    ("pervertex", "The values of all three vertices, not interpolated."),
    ("unorm", "Stored as an integer that stands for 0 to 1."),
    ("snorm", "Stored as an integer that stands for -1 to 1."),
    ("highp", "GLSL's precision, without effect here."),
    ("mediump", "GLSL's precision, without effect here."),
    ("lowp", "GLSL's precision, without effect here."),
    ("point", "The primitive has one vertex."),
    ("line", "The primitive has two vertices."),
    ("triangle", "The primitive has three vertices."),
    ("lineadj", "A line with the vertices beside it."),
    ("triangleadj", "A triangle with the vertices beside it."),
    ("vertices", "The vertices that a mesh shader makes."),
    ("indices", "The indices that a mesh shader makes."),
    ("primitives", "The attributes of primitives that a mesh shader makes."),
    ("payload", "What an amplification shader hands to its mesh shaders."),
    ("hitAttributeEXT", "What an intersection gives to hit shaders, as GLSL writes it."),
    ("rayPayloadEXT", "What a ray carries to the shaders that it meets, as GLSL writes it."),
    ("rayPayloadInEXT", "What the ray that led here carries, as GLSL writes it."),
    ("callableDataEXT", "What a callable shader is given and gives back, as GLSL writes it."),
    ("callableDataInEXT", "What the caller gave this callable shader, as GLSL writes it."),
    // Statements.
    ("if", "Runs one of two branches. `if (let x = optional)` asks for a value."),
    ("else", "The branch that runs if the condition does not hold."),
    ("for", "Repeats as long as a condition holds. Reverse mode needs to know how often at most: `[MaxIters(n)]`."),
    ("while", "Repeats as long as a condition holds. Reverse mode needs to know how often at most: `[MaxIters(n)]`."),
    ("do", "Runs once, and again as long as a condition holds."),
    ("switch", "Chooses by a value. A case must not go on into the next one unless it is empty."),
    ("case", "Where a `switch` goes on for this value."),
    ("default", "Where a `switch` goes on for all other values."),
    ("break", "Leaves the loop or `switch` around it."),
    ("continue", "Goes on with the next iteration."),
    ("return", "Leaves the function, with its result."),
    ("discard", "Ends a fragment without output."),
    ("defer", "Runs when the block around it is left."),
    ("throw", "Leaves the function with an error."),
    ("try", "Calls what may throw: its error is passed on."),
    ("catch", "Handles what is thrown in the block in front of it."),
    ("__target_switch", "Chooses code by the target that is compiled for."),
    // Expressions and types.
    ("this", "The value whose method this is."),
    ("new", "Makes an object of a class."),
    ("is", "Whether a value of an interface is of a type."),
    ("as", "A value of an interface as one of a type, if it is one."),
    ("sizeof", "The size of a type in bytes."),
    ("alignof", "The alignment of a type in bytes."),
    ("countof", "The number of elements of an array, a vector or a pack."),
    ("true", "The condition that holds."),
    ("false", "The condition that does not hold."),
    ("nullptr", "The pointer to nothing."),
    ("none", "The `Optional` without a value."),
    ("some", "One type that conforms to the interface, which the function chooses."),
    ("each", "Each element of a pack."),
    ("expand", "Repeats what follows for each element of a pack."),
    ("functype", "The type of functions that are passed as values."),
    ("spirv_asm", "Instructions of SPIR-V, written out."),
];

#[cfg(test)]
mod tests {
    use syntax::keywords::public_keywords;

    use super::{KEYWORDS, documentation};

    #[test]
    fn each_keyword_of_programs_is_explained_once() {
        for (word, _) in public_keywords() {
            assert!(documentation(word).is_some(), "{word}");
        }
        for (word, text) in KEYWORDS {
            assert_eq!(KEYWORDS.iter().filter(|(other, _)| other == word).count(), 1, "{word}");
            assert!(text.ends_with('.'), "{word}");
        }
    }
}
