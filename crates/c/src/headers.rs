//! What the standard headers declare: names of types, and constants that programs use without having defined them.

use crate::types::{Integer, Model, Type};

/// A type of the standard headers.
pub fn named_type(name: &str, model: Model) -> Option<Type> {
    let integer = |bits, signed| Some(Type::Integer(Integer { bits, signed }));
    let long = model.long_bits;
    match name {
        "bool" => Some(Type::Integer(Integer::BOOL)),
        "int8_t" | "int_least8_t" | "int_fast8_t" => integer(8, true),
        "uint8_t" | "uint_least8_t" | "uint_fast8_t" => integer(8, false),
        "int16_t" | "int_least16_t" => integer(16, true),
        "uint16_t" | "uint_least16_t" => integer(16, false),
        "int32_t" | "int_least32_t" => integer(32, true),
        "uint32_t" | "uint_least32_t" => integer(32, false),
        "int64_t" | "int_least64_t" | "int_fast64_t" | "intmax_t" => integer(64, true),
        "uint64_t" | "uint_least64_t" | "uint_fast64_t" | "uintmax_t" => integer(64, false),
        "int_fast16_t" | "int_fast32_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" => integer(long, true),
        "uint_fast16_t" | "uint_fast32_t" | "size_t" | "uintptr_t" => integer(long, false),
        "wchar_t" => integer(32, true),
        _ => None,
    }
}

/// The names of types that a line declares which includes a standard header.
pub fn types_of(line: &str) -> impl Iterator<Item = &'static str> {
    const INTEGERS: [&str; 27] = [
        "int8_t",
        "int_least8_t",
        "int_fast8_t",
        "uint8_t",
        "uint_least8_t",
        "uint_fast8_t",
        "int16_t",
        "int_least16_t",
        "int_fast16_t",
        "uint16_t",
        "uint_least16_t",
        "uint_fast16_t",
        "int32_t",
        "int_least32_t",
        "int_fast32_t",
        "uint32_t",
        "uint_least32_t",
        "uint_fast32_t",
        "int64_t",
        "int_least64_t",
        "int_fast64_t",
        "uint64_t",
        "uint_least64_t",
        "uint_fast64_t",
        "intmax_t",
        "uintmax_t",
        "intptr_t",
    ];
    let is_include = line.trim_start().starts_with('#') && line.contains("include");
    let includes =
        |header: &str| is_include && (line.contains(&format!("<{header}")) || line.contains(&format!("\"{header}")));
    let mut types: Vec<&'static str> = vec![];
    if includes("stdint.h") || includes("inttypes.h") {
        types.extend(INTEGERS);
        types.push("uintptr_t");
    }
    if includes("stdbool.h") {
        types.push("bool");
    }
    if includes("stddef.h") {
        types.extend(["ptrdiff_t", "wchar_t"]);
    }
    if ["stddef.h", "stdlib.h", "string.h", "stdio.h", "time.h"].iter().any(|header| includes(header)) {
        types.push("size_t");
    }
    types.into_iter()
}

/// A constant that a macro of the standard headers stands for.
pub fn constant(name: &str, model: Model) -> Option<(i128, Integer)> {
    let int = Integer::INT;
    let limit = |integer: Integer, is_high: bool| {
        Some((if is_high { integer.high() } else { integer.low() }, integer.promoted()))
    };
    match name {
        "NULL" | "false" | "EXIT_SUCCESS" => Some((0, int)),
        "true" | "EXIT_FAILURE" => Some((1, int)),
        "CHAR_BIT" => Some((8, int)),
        "INT8_MIN" | "SCHAR_MIN" | "CHAR_MIN" => limit(Integer::CHAR, false),
        "INT8_MAX" | "SCHAR_MAX" | "CHAR_MAX" => limit(Integer::CHAR, true),
        "UINT8_MAX" | "UCHAR_MAX" => limit(Integer::UCHAR, true),
        "INT16_MIN" | "SHRT_MIN" => limit(Integer::SHORT, false),
        "INT16_MAX" | "SHRT_MAX" => limit(Integer::SHORT, true),
        "UINT16_MAX" | "USHRT_MAX" => limit(Integer::USHORT, true),
        "INT32_MIN" | "INT_MIN" => limit(Integer::INT, false),
        "INT32_MAX" | "INT_MAX" => limit(Integer::INT, true),
        "UINT32_MAX" | "UINT_MAX" => limit(Integer::UINT, true),
        "INT64_MIN" | "LLONG_MIN" => limit(Integer::LONG_LONG, false),
        "INT64_MAX" | "LLONG_MAX" => limit(Integer::LONG_LONG, true),
        "UINT64_MAX" | "ULLONG_MAX" => limit(Integer::ULONG_LONG, true),
        "LONG_MIN" => limit(model.long(), false),
        "LONG_MAX" => limit(model.long(), true),
        "ULONG_MAX" => limit(Integer { signed: false, ..model.long() }, true),
        "SIZE_MAX" => limit(model.size(), true),
        _ => None,
    }
}
